// A file under examination, conversation by conversation.

import type { NewEngine } from '../engine.js';
import type { Recording } from '../read/recognise.js';
import { Tally } from '../tally.js';
import type { TraceStep } from '../trace.js';
import type { Report } from './diagnosis.js';
import { Examined } from './examined.js';

export interface Options {
  file: string;
  /** Tokens, where the person stated them. */
  window: number | undefined;
  newEngine: NewEngine;
  /** Called after each step with the number of bytes read so far. */
  progress?: (bytes: number) => void;
}

export async function examine(recording: Recording, options: Options): Promise<Report> {
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

  async end(): Promise<Report> {
    await this.#close();
    const { conversations, unreadable } = this.#report;
    return { ...this.#report, healthy: unreadable.length === 0 && conversations.every(({ findings }) => findings.length === 0) };
  }

  async #begin(step: Extract<TraceStep, { kind: 'session' }>): Promise<void> {
    await this.#close();
    const { window, newEngine } = this.#options;
    this.#conversation = new Examined({
      id: `doctor-${(this.#begun += 1)}`,
      label: step.label,
      format: this.#report.format,
      windowOption: window,
      windowRecorded: step.window,
      model: step.model,
      newEngine,
      tally: new Tally(),
    });
    await this.#conversation.take(step);
  }

  async #close(): Promise<void> {
    const conversation = this.#conversation;
    this.#conversation = undefined;
    await conversation?.end();
    if (conversation?.diagnosis !== undefined) this.#report.conversations.push(conversation.diagnosis);
  }
}
