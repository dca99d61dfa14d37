/** One turn as a person would tell it: the question, the tool that the model runs for it, its answer, and what a summary keeps. */
export interface Line {
  user: string;
  tool: 'read' | 'grep' | 'test' | 'log';
  target: string;
  answer: string;
  gist: string;
}

/** A morning with a bug: the invoice export of a shop books the last day of a month into the next. */
export const lines: readonly Line[] = [
  {
    user: 'The December export is off by one day. Invoices of the 31st land in January. Have a look?',
    tool: 'log',
    target: 'export-december.log',
    answer: 'The log shows 41 invoices of 31 December written to the January file. All of them were created after 23:00 local time.',
    gist: '41 invoices of 31 December, all created after 23:00, went into the January file.',
  },
  {
    user: 'Where does the export decide about the month?',
    tool: 'grep',
    target: 'monthOf',
    answer: '`monthOf` in `export/period.ts` decides. Four callers use it; only the export passes a string instead of a date.',
    gist: '`monthOf` in export/period.ts decides the month; only the export passes a string.',
  },
  {
    user: 'Show me that file.',
    tool: 'read',
    target: 'export/period.ts',
    answer: '`monthOf` parses the string as UTC and then asks for the local month. In winter that is one hour off, enough for the late invoices.',
    gist: '`monthOf` mixes UTC parsing with the local month.',
  },
  {
    user: 'Do we have a test for it?',
    tool: 'test',
    target: 'period',
    answer: 'Eleven tests, all green, and all of them use noon. None is near midnight, so none could see this.',
    gist: 'The 11 period tests all use noon.',
  },
  {
    user: 'Write one that fails first.',
    tool: 'test',
    target: 'period midnight',
    answer: 'Added `month_of_an_invoice_at_2330_on_the_31st_is_december`. It fails as expected: got 1, wanted 12.',
    gist: 'A failing test at 23:30 on the 31st exists.',
  },
  {
    user: 'What else reads this month value?',
    tool: 'grep',
    target: 'period.month',
    answer: 'The VAT report and the dunning run. The VAT report has the same fault; the dunning run compares days and is safe.',
    gist: 'The VAT report shares the fault, the dunning run does not.',
  },
  {
    user: 'Check the VAT report of last year, did it go wrong too?',
    tool: 'log',
    target: 'vat-report.log',
    answer: 'Yes: 38 invoices moved by a month, but all inside the same quarter, so the filed sums were right.',
    gist: 'VAT: 38 invoices moved inside one quarter; filed sums were right.',
  },
  {
    user: 'Good. Fix it in one place, please.',
    tool: 'read',
    target: 'export/period.ts',
    answer: "`monthOf` now takes the shop's time zone and a moment, never a string. The four callers were changed with it.",
    gist: '`monthOf(moment, zone)` replaces the string version; 4 callers changed.',
  },
  {
    user: 'Run everything that touches periods.',
    tool: 'test',
    target: 'export vat dunning',
    answer: 'All green but one: the snapshot of the yearly export still holds the wrong month.',
    gist: "Only the yearly export's snapshot fails.",
  },
  {
    user: 'Is the snapshot wrong or are we?',
    tool: 'read',
    target: 'export/yearly.snap',
    answer: 'The snapshot is wrong. It was recorded on 31 December two years ago, by the same fault.',
    gist: 'That snapshot recorded the fault itself.',
  },
  {
    user: 'Then update it, and say why in the commit.',
    tool: 'test',
    target: 'yearly',
    answer: 'Updated, and the message says so. 214 tests pass.',
    gist: 'Snapshot updated with its reason; 214 tests pass.',
  },
  {
    user: 'Which time zone do shops without a setting get?',
    tool: 'grep',
    target: 'defaultZone',
    answer: '`Europe/Berlin`, from `shop/defaults.ts`. Seven shops rely on it.',
    gist: 'Shops without a setting use Europe/Berlin (7 shops).',
  },
  {
    user: 'And the two shops in Lisbon?',
    tool: 'read',
    target: 'shop/defaults.ts',
    answer: 'Both have `Europe/Lisbon` set by hand since March. Before that, their exports used Berlin.',
    gist: 'The Lisbon shops were set by hand in March.',
  },
  {
    user: 'Do their old exports need a correction?',
    tool: 'log',
    target: 'lisbon.log',
    answer: 'Three invoices, 412.60 euros in total. Accounting should decide; I listed the numbers.',
    gist: 'Lisbon: 3 old invoices, 412.60 euros, for accounting to decide.',
  },
  {
    user: 'How do we re-export December safely?',
    tool: 'read',
    target: 'export/run.ts',
    answer: '`export run --month 2025-12 --replace` writes beside the old file and swaps them at the end.',
    gist: '`export run --month 2025-12 --replace` re-exports safely.',
  },
  {
    user: 'Dry run first.',
    tool: 'log',
    target: 'dry-run.log',
    answer: 'The dry run moves exactly the 41 invoices back to December and touches nothing else.',
    gist: 'The dry run moves exactly those 41 invoices.',
  },
  {
    user: 'Does the bank import look at the file name?',
    tool: 'grep',
    target: 'importBank',
    answer: 'It looks at the checksum. A new file with the same name is read again, so payments would be matched twice.',
    gist: 'The bank import goes by checksum and would match payments twice.',
  },
  {
    user: 'That would be bad. Can it be told to skip?',
    tool: 'read',
    target: 'bank/import.ts',
    answer: 'There is a list of known files. Adding the new checksum before the swap makes the import skip it.',
    gist: 'Adding the new checksum to the known files first avoids that.',
  },
  {
    user: 'Add that to the run itself.',
    tool: 'test',
    target: 'run replace',
    answer: '`--replace` now registers the checksum before the swap. Two tests cover it, one kills the run in between.',
    gist: '`--replace` registers the checksum first; 2 tests.',
  },
  {
    user: 'And when the run is killed after registering?',
    tool: 'test',
    target: 'run resume',
    answer: 'The next run finds the registered checksum without a file and starts over. Nothing is matched twice.',
    gist: 'A killed run starts over without double matching.',
  },
  {
    user: 'Look at the timings, is it slower now?',
    tool: 'log',
    target: 'timings.log',
    answer: 'The month takes 8.1 s instead of 7.9 s. The zone lookup is cached per shop.',
    gist: '8.1 s a month instead of 7.9 s.',
  },
  {
    user: 'Who else should know?',
    tool: 'grep',
    target: 'exportFinished',
    answer: 'Two listeners: the mail to accounting and the archive. The archive keeps both files.',
    gist: 'Accounting gets a mail, the archive keeps both files.',
  },
  {
    user: 'Draft the note for accounting.',
    tool: 'read',
    target: 'notes/template.md',
    answer: 'Drafted: what was wrong, the 41 invoices, the three in Lisbon, what they have to do, and by when.',
    gist: 'A note for accounting is drafted.',
  },
  {
    user: 'Here is what the nightly job printed. What of it is ours?',
    tool: 'log',
    target: '',
    answer: 'Only the warning about the archive is ours; it kept two files for December, as intended. The rest belongs to the image resizer.',
    gist: "Of the nightly output only the archive's warning is ours, and intended.",
  },
  {
    user: 'Fine. Swap the files now.',
    tool: 'log',
    target: 'swap.log',
    answer: 'Swapped. 41 invoices are in December again, the bank import skipped the file.',
    gist: 'The files were swapped; the bank import skipped the new one.',
  },
  {
    user: 'And the archive?',
    tool: 'grep',
    target: 'archive/2025-12',
    answer: 'Both versions are there, the old one marked as replaced.',
    gist: 'The archive marks the old file as replaced.',
  },
];

/** What the host asks when it plays on after the script. */
export const followUps: readonly [Line, ...Line[]] = [
  {
    user: 'Check the next shop as well.',
    tool: 'log',
    target: 'shop-next.log',
    answer: 'Nothing moved there. All late invoices are in the right month.',
    gist: 'Another shop was checked; nothing moved.',
  },
  {
    user: 'Is there another place that parses dates by hand?',
    tool: 'grep',
    target: 'Date.parse',
    answer: "Two more, both in the importer. Neither is near a month's end; I noted them for later.",
    gist: 'Two more hand-made date parsers in the importer, for later.',
  },
  {
    user: 'Run the whole suite once more.',
    tool: 'test',
    target: 'all',
    answer: "All green. The two slowest tests are the archive's.",
    gist: 'The whole suite is green.',
  },
  {
    user: 'Read me the part that handles leap days.',
    tool: 'read',
    target: 'export/calendar.ts',
    answer: 'It asks the calendar and adds nothing by hand, so leap days are safe.',
    gist: 'Leap days are handled by the calendar.',
  },
];
