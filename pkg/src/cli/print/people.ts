// A replay for a person at a terminal: one heading per place, one or more sentences below it, and a summary.

import type { Mode, Place, RecordingEvent, ReplayEvent, SummaryEvent, WindowEvent } from '../events.js';
import { SUMMARY_RATIO } from '../summariser.js';
import { sentence, windowSource } from './sentences.js';
import { summaryLines } from './summary.js';
import { Table, type Terminal } from './table.js';
import { clean, elapsed, number } from './words.js';

export class PeoplePrinter {
  readonly #table: Table;
  #titles: Readonly<Record<string, string>>;
  #recording: RecordingEvent | undefined;
  #heading = '';
  #window: number | undefined;
  #lastAction = 'hold';
  #disbelieved = new Set<string>();
  #began = new Map<string, number>();

  constructor(terminal: Terminal, titles: Readonly<Record<string, string>>) {
    this.#table = new Table(terminal);
    this.#titles = titles;
  }

  event(event: ReplayEvent): void {
    if (event.type === 'recording') this.#opening(event);
    else if (event.type === 'summary') this.#closing(event);
    else if (event.type === 'unreadable') this.#aside('unreadable', `${this.#unit} ${number(event.line)} was skipped: ${event.reason}.`, 'warn');
    else if (event.type === 'note') this.#aside('note', `${event.text[0]?.toUpperCase() ?? ''}${event.text.slice(1)}.`, 'faint');
    else if (event.type === 'window' && event.source !== 'learned') this.#windowLine(event);
    else this.#placed(event);
  }

  #opening(event: RecordingEvent): void {
    this.#recording = event;
    this.#table.heading(`Replay of ${clean(event.file)}`);
    this.#table.row('format', this.#titles[event.format] ?? event.format, 'faint');
    this.#table.row('mode', MODES[event.mode], 'faint');
  }

  #windowLine(event: WindowEvent): void {
    this.#begin(event);
    if (this.#window === event.windowTokens) return;
    this.#window = event.windowTokens;
    this.#table.row('window', `${number(event.windowTokens)} tokens, ${windowSource(event)}`, 'faint');
  }

  #placed(event: Exclude<ReplayEvent, { type: 'recording' | 'summary' | 'unreadable' | 'note' }>): void {
    this.#begin(event);
    const said = sentence(event);
    if (said === undefined || this.#goesWithoutSaying(event)) return;
    const heading = this.#headingFor(event);
    if (heading !== this.#heading) this.#table.line(`\n${this.#table.style.faint(heading)}`);
    this.#heading = heading;
    this.#table.row(said.label, `${event.simulated ? 'simulated: ' : ''}${said.text}`, said.tone);
  }

  /** That no pass is due is news only after a refusal: after a pass, its verdict says so. Disbelief is news once. */
  #goesWithoutSaying(event: ReplayEvent): boolean {
    if (event.type === 'ignored') {
      const known = this.#disbelieved.has(event.reason);
      this.#disbelieved.add(event.reason);
      return known;
    }
    if (event.type !== 'decision') return false;
    const before = this.#lastAction;
    this.#lastAction = event.decision.action;
    return event.decision.action === 'hold' && before === 'compact';
  }

  /** Times are shown from the first one of a conversation on. */
  #begin({ session = '', at }: Place): void {
    if (at !== null && !this.#began.has(session)) this.#began.set(session, at);
  }

  #headingFor({ session, line, call, at }: Place): string {
    const began = this.#began.get(session ?? '');
    const time = at === null || began === undefined ? [] : [elapsed(at - began)];
    return [...(session === undefined ? [] : [clean(session)]), `${this.#unit} ${number(line)}`, `call ${number(call)}`, ...time].join(' · ');
  }

  get #unit(): string {
    return this.#recording?.unit ?? 'line';
  }

  #aside(label: string, text: string, tone: 'warn' | 'faint'): void {
    if (this.#heading !== ASIDE) this.#table.line('');
    this.#heading = ASIDE;
    this.#table.row(label, text, tone);
  }

  #closing(event: SummaryEvent & { simulated?: true }): void {
    this.#table.line('');
    this.#table.heading('Summary');
    for (const { label, text, tone } of summaryLines(event, this.#unit)) this.#table.row(label, text, tone);
  }
}

const ASIDE = '(aside)';
const MODES: Readonly<Record<Mode, string>> = {
  observe: "observe: the recording's own compactions are the passes, judged by the recorded usage; nothing is assumed",
  simulate: `simulate: the governor compacts; a scripted summariser keeps ${SUMMARY_RATIO * 100} % of its slice, at most what the governor allows; compactions of the recording are left out`,
  summarize: `summarize: whole compactions through the package's session; a scripted summariser keeps ${SUMMARY_RATIO * 100} % of what it is shown; compactions of the recording are left out`,
};
