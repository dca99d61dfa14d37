// A file under examination, conversation by conversation.

import type { NewEngine } from '../engine.js';
import type { Recording } from '../read/recognise.js';
import { Tally } from '../tally.js';
import type { TraceStep } from '../trace.js';
import type { RepairChange, Report } from './diagnosis.js';
import { Examined } from './examined.js';
import type { Change } from './repair/changes.js';

export interface Options {
  file: string;
  /** Tokens, where the person stated them. */
  window: number | undefined;
  newEngine: NewEngine;
  /** Whether what mends the file is asked for as well. */
  repairing: boolean;
  /** Called after each step with the number of bytes read so far. */
  progress?: (bytes: number) => void;
}

export async function examine(recording: Recording, options: Options): Promise<{ report: Report; changes: readonly Change[] }> {
  const examination = new Examination(recording, options);
  for await (const [step, bytes] of recording.steps) {
    await examination.take(step);
    options.progress?.(bytes);
  }
  return await examination.end();
}

class Examination {
  readonly #options: Options;
  readonly #report: Report;
  #conversation: Examined | undefined;
  #begun = 0;
  readonly #changes: { change: Change; session: string | undefined }[] = [];

  constructor({ format, unit }: Recording, options: Options) {
    this.#options = options;
    this.#report = { type: 'diagnosis', version: 1, file: options.file, format, unit, healthy: true, unreadable: [], notes: [], conversations: [] };
  }

  async take(step: TraceStep): Promise<void> {
    if (step.kind === 'session') return await this.#begin(step);
    if (step.kind === 'unreadable') this.#report.unreadable.push({ line: step.line, reason: step.reason });
    else if (step.kind === 'note') this.#report.notes.push(step.text);
    else await this.#conversation?.take(step);
  }

  async end(): Promise<{ report: Report; changes: readonly Change[] }> {
    await this.#close();
    const { conversations, unreadable } = this.#report;
    const healthy = unreadable.length === 0 && conversations.every(({ findings }) => findings.length === 0);
    const repair = { out: null, changes: this.#changes.map(({ change, session }) => described(change, session)) };
    return { report: { ...this.#report, healthy, ...(this.#options.repairing ? { repair } : {}) }, changes: this.#changes.map(({ change }) => change) };
  }

  async #begin(step: Extract<TraceStep, { kind: 'session' }>): Promise<void> {
    await this.#close();
    const { window, newEngine, repairing } = this.#options;
    this.#conversation = new Examined({
      id: `doctor-${(this.#begun += 1)}`,
      label: step.label,
      format: this.#report.format,
      windowOption: window,
      windowRecorded: step.window,
      model: step.model,
      newEngine,
      tally: new Tally(),
    }, repairing);
    await this.#conversation.take(step);
  }

  async #close(): Promise<void> {
    const conversation = this.#conversation;
    this.#conversation = undefined;
    await conversation?.end();
    if (conversation?.diagnosis === undefined) return;
    this.#report.conversations.push(conversation.diagnosis);
    this.#changes.push(...conversation.changes.map((change) => ({ change, session: conversation.diagnosis?.session })));
  }
}

function described({ action, line, into, calls }: Change, session: string | undefined): RepairChange {
  return { action, ...(session === undefined ? {} : { session }), line, ...(into === undefined ? {} : { into }), ...(action === 'close' ? { calls: calls.length } : {}) };
}
