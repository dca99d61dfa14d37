// A diagnosis for a person: one table for each conversation with something to say, and a last line.

import type { Diagnosis, RepairChange, Report } from '../doctor/diagnosis.js';
import { Table } from './table.js';
import { windowSource } from './sentences.js';
import type { Style } from './style.js';
import { change, clean, count, number } from './words.js';

export function printReport(report: Report, title: string, table: Table): void {
  table.heading(`Doctor on ${clean(report.file)}`);
  table.row('format', title);
  for (const note of report.notes) table.row('note', `${note[0]?.toUpperCase() ?? ''}${note.slice(1)}.`);
  unreadable(report, table);
  const many = report.conversations.length > 1;
  const worth = many ? report.conversations.filter(({ findings }) => findings.length > 0) : report.conversations;
  if (many) table.row('conversations', `${number(report.conversations.length)}, ${number(worth.length)} with something found`);
  for (const diagnosis of worth.slice(0, CONVERSATIONS_SHOWN)) conversation(diagnosis, report.unit, table);
  if (worth.length > CONVERSATIONS_SHOWN) table.line(`\nand ${number(worth.length - CONVERSATIONS_SHOWN)} more (all of them with --json)`);
  if (report.repair !== undefined) repaired(report.repair, report.unit, table);
  const findings = report.conversations.reduce((sum, one) => sum + one.findings.length, 0) + Number(report.unreadable.length > 0);
  table.line(`\n${findings === 0 ? table.style.good('Nothing found.') : table.style.bad(`${count(findings, 'finding')}.`)}`);
}

function repaired({ out, changes }: NonNullable<Report['repair']>, unit: string, table: Table): void {
  table.line('');
  table.heading(out === null ? 'Repair (nothing written)' : `Repaired copy in ${clean(out)}`);
  if (changes.length === 0) table.row('changes', 'none needed');
  for (const change of changes) table.row(ACTIONS[change.action], changed(change, unit));
}

function changed({ action, session, line, into = 0, calls = 0 }: RepairChange, unit: string): string {
  const where = `${session === undefined ? '' : `${clean(session)}, `}${unit} ${number(line)}`;
  if (action === 'collapse') return `${where}: an older summary; the one at ${unit} ${number(into)} stays`;
  if (action === 'merge') return `${where}: the newest summary now says what the older ones said`;
  if (action === 'drop') return `${where}: a tool result without its call`;
  if (action === 'close') return `${where}: ${count(calls, 'call')} without a result now ${calls === 1 ? 'has' : 'have'} one that says so`;
  return `${where}: pictures or encoded data of an old turn`;
}

const ACTIONS = { collapse: 'taken out', merge: 'merged', drop: 'dropped', close: 'closed', strip: 'stripped' } as const;

function unreadable({ unreadable: skipped, unit }: Report, table: Table): void {
  const [first] = skipped;
  if (first === undefined) return;
  table.row('unreadable', `${count(skipped.length, unit)} skipped: ${places(skipped.map(({ line }) => line), unit)} (${first.reason})`, 'bad');
}

function conversation(found: Diagnosis, unit: string, table: Table): void {
  table.line(`\n${table.style.strong(found.session === undefined ? 'Conversation' : clean(found.session))}`);
  for (const [label, text, tone] of rows(found, unit)) table.row(label, text, tone);
  for (const { sentence } of found.findings) table.row('found', sentence, 'bad');
}

type Row = readonly [label: string, text: string, tone?: keyof Style];

function rows(found: Diagnosis, unit: string): Row[] {
  const { decision, view, summaries, orphans, media, pass } = found;
  const has = (code: string): boolean => found.findings.some((finding) => finding.code.startsWith(code));
  const behind = view.coveredEntries > 0 ? `, behind a summary of about ${number(view.summaryTokens)} tokens for ${number(view.coveredEntries)} more` : '';
  const used = decision.usedTokens === null ? 'size unknown' : `${number(decision.usedTokens)} tokens, ${decision.confidence}`;
  return [
    ['view', `${count(view.entries, 'entry', 'entries')}${behind}: ${used}`],
    ['window', `${number(found.windowTokens)} tokens, ${windowSource({ source: found.windowSource, model: found.model })}`],
    ['summaries', summaries.messages === 0 ? 'none among the messages' : `${count(summaries.messages, 'message')}, ${number(summaries.bytes)} bytes, about ${number(summaries.tokens)} tokens: ${places(summaries.lines, unit)}`, tone(has('summary'))],
    ['calls', orphans.calls.length === 0 ? 'each with its results' : `${number(orphans.calls.length)} without results: ${places(orphans.calls, unit)}`, tone(has('orphan_calls'))],
    ['results', orphans.results.length === 0 ? 'each with its call' : `${number(orphans.results.length)} without a call: ${places(orphans.results, unit)}`, tone(has('orphan_results'))],
    ['media', media.entries === 0 ? 'none inline' : `${count(media.entries, 'entry', 'entries')}, ${number(media.bytes)} bytes inline: ${places(media.lines, unit)}`],
    ...largest(found, unit),
    ['fixed part', `${number(decision.floorTokens)} tokens${decision.thresholdTokens === null ? '' : `; passes start at ${number(decision.thresholdTokens)}`}`, tone(has('floor'))],
    ['one pass', onePass(pass)],
    ...past(found, unit),
  ];
}

function tone(bad: boolean): 'bad' | 'faint' {
  return bad ? 'bad' : 'faint';
}

function largest({ largest: heaviest }: Diagnosis, unit: string): Row[] {
  return heaviest.map(({ line, role, tokens, bytes, mediaBytes }, index) => {
    const inline = mediaBytes === 0 ? '' : `, ${number(mediaBytes)} of media`;
    return [index === 0 ? 'largest' : '', `${unit} ${number(line)}, ${role}: about ${number(tokens)} tokens, ${number(bytes)} bytes${inline}`];
  });
}

function onePass(pass: Diagnosis['pass']): string {
  if (!pass.possible) return `none: ${pass.sentence}`;
  const { beforeTokens, afterTokens } = pass;
  const lands = `${number(beforeTokens)} → at most ${number(afterTokens)} tokens, ${change(beforeTokens, afterTokens)}`;
  if (pass.means === 'clearing') return `would clear old results without a model: ${lands}`;
  return `would summarise ${count(pass.coversEntries, 'entry', 'entries')} and keep ${number(pass.keepsEntries)}: ${lands}`;
}

function past({ pastPasses: { made, useless } }: Diagnosis, unit: string): Row[] {
  if (made === 0) return [['past passes', 'none in the recording']];
  const failed = useless.length === 0 ? 'all of them helped or await a verdict' : `${number(useless.length)} did not help: ${places(useless.map(({ line }) => line), unit)}`;
  return [['past passes', `${number(made)}; ${failed}`, tone(useless.length > 0)]];
}

function places(lines: readonly number[], unit: string): string {
  const shown = lines.slice(0, PLACES_SHOWN).map(number).join(', ');
  const more = lines.length > PLACES_SHOWN ? ` and ${number(lines.length - PLACES_SHOWN)} more` : '';
  return `${unit}${lines.length === 1 ? '' : 's'} ${shown}${more}`;
}

const CONVERSATIONS_SHOWN = 5;
const PLACES_SHOWN = 6;
