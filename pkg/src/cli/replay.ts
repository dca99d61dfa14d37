// A recording, step by step, through the governor.

import type { NewEngine } from './engine.js';
import type { Emit, Mode, ReplayEvent } from './events.js';
import { Observed } from './observe.js';
import { number } from './print/words.js';
import type { Recording } from './read/recognise.js';
import type { NewSession } from './session.js';
import { Simulated } from './simulate.js';
import { Summarised } from './summarised.js';
import { Tally } from './tally.js';
import type { TraceStep } from './trace.js';

export interface Options {
  file: string;
  mode: Mode;
  /** Tokens, where the person stated them. */
  window: number | undefined;
  /** What observing and simulating feed. */
  newEngine: NewEngine;
  /** What whole compactions run through. */
  newSession: NewSession;
  /** Called after each step with the number of bytes read so far. */
  progress?: (bytes: number) => void;
}

/** Runs the whole recording; the last event is the summary. */
export async function replay(recording: Recording, options: Options, emit: Emit): Promise<void> {
  const run = new Replay(recording, options, emit);
  for await (const [step, bytes] of recording.steps) {
    await run.take(step);
    options.progress?.(bytes);
  }
  await run.end();
}

class Replay {
  readonly #recording: Recording;
  readonly #options: Options;
  readonly #tally = new Tally();
  readonly #emit: Emit;
  #conversation: Observed | Simulated | Summarised | undefined;
  #untimed = false;

  constructor(recording: Recording, options: Options, emit: Emit) {
    this.#recording = recording;
    this.#options = options;
    this.#emit = options.mode !== 'observe' ? (event) => emit({ ...event, simulated: true }) : emit;
    const { file, mode } = options;
    this.#emit({ type: 'recording', version: 1, file, format: recording.format, unit: recording.unit, mode });
  }

  async take(step: TraceStep): Promise<void> {
    if (step.kind === 'session') return await this.#begin(step);
    if (step.kind === 'unreadable') return this.#unreadable(step.line, step.reason);
    if (step.kind === 'note') return this.#emit({ type: 'note', text: step.text });
    await this.#conversation?.take(step);
  }

  async end(): Promise<void> {
    await this.#close();
    if (this.#untimed) this.#emit({ type: 'note', text: UNTIMED });
    this.#smallWindow();
    this.#emit(this.#tally.summary());
  }

  #smallWindow(): void {
    const { mode, window } = this.#options;
    if (mode !== 'observe' || window === undefined || this.#tally.peak <= window) return;
    const text = `the recorded prompts reach ${number(this.#tally.peak)} tokens, more than the window of ${number(window)} that you gave: --simulate shows what the governor makes of such a window`;
    this.#emit({ type: 'note', text });
  }

  #unreadable(line: number, reason: string): void {
    this.#tally.unreadable += 1;
    const event: ReplayEvent = { type: 'unreadable', line, reason };
    this.#emit(event);
  }

  async #begin(step: Extract<TraceStep, { kind: 'session' }>): Promise<void> {
    await this.#close();
    const { mode, window, newEngine, newSession } = this.#options;
    const setting = {
      id: `replay-${this.#tally.sessions + 1}`,
      label: step.label,
      format: this.#recording.format,
      windowOption: window,
      windowRecorded: step.window,
      model: step.model,
      tally: this.#tally,
      emit: this.#emit,
    };
    if (mode === 'summarize') this.#conversation = new Summarised({ ...setting, newSession });
    else this.#conversation = mode === 'simulate' ? new Simulated({ ...setting, newEngine }) : new Observed({ ...setting, newEngine });
    await this.#conversation.take(step);
  }

  async #close(): Promise<void> {
    const conversation = this.#conversation;
    this.#conversation = undefined;
    await conversation?.end();
    if (conversation?.untimed === true) this.#untimed = true;
  }
}

const UNTIMED = 'the recording has no times: each model call was taken to last 30 s';
