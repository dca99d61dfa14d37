// One model call of a session file, held back until it is whole: its answer comes in pieces, its usage last, and results of
// its tools stand in between.

import type { TraceStep } from '../../trace.js';
import type { Answer, Draft, Entries } from '../entries.js';
import type { Usage } from '../shape.js';

export interface Place {
  line: number;
  at: number | undefined;
}

export class HeldCall {
  readonly answer: Answer;
  readonly place: Place;
  readonly #model: string | undefined;
  /** As the call states it; its usage may be what does. */
  window: number | undefined;
  #usage: (Usage & Place) | undefined;
  readonly #results: { draft: Draft; place: Place }[] = [];

  constructor(answer: Answer, place: Place, about: { model?: string | undefined; window?: number | undefined }) {
    this.answer = answer;
    this.place = place;
    this.#model = about.model;
    this.window = about.window;
  }

  /** Whether the answer is over: its usage, or a result of its tools, was seen. */
  get over(): boolean {
    return this.#usage !== undefined || this.#results.length > 0;
  }

  get counted(): boolean {
    return this.#usage !== undefined;
  }

  /** Of repeated records the last one counts. */
  count(usage: Usage, place: Place): void {
    this.#usage = { promptTokens: usage.promptTokens, outputTokens: usage.outputTokens, ...place };
  }

  result(draft: Draft, place: Place): void {
    this.#results.push({ draft, place });
  }

  /** Everything held back, in the order in which it happened. A call that was never answered left no message to send again. */
  *settle(entries: Entries): Iterable<TraceStep> {
    yield { kind: 'call', ...this.place, model: this.#model, window: this.window };
    if (this.#usage !== undefined) yield { kind: 'usage', ...this.#usage };
    const { texts, calls } = this.answer;
    if (texts.length > 0 || calls.length > 0) yield { kind: 'entry', ...this.place, entry: entries.add(this.answer) };
    for (const { draft, place } of this.#results) yield { kind: 'entry', ...place, entry: entries.add(draft) };
  }
}
