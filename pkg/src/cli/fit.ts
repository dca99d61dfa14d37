// Where the governor makes passes of its own: prompts held against the window as a provider would, and what came of them.

import type { Baseline } from './baseline.js';
import type { Decision } from './engine.js';
import type { Placeless, ReplayEvent } from './events.js';
import type { Tally } from './tally.js';

/** Passes tried for one prompt that does not fit; the governor's own cap is what normally ends it. */
export const OVERFLOW_TRIES = 3;

export class Fit {
  readonly #baseline: Baseline;
  readonly #tally: Tally;
  readonly #report: (event: Placeless<ReplayEvent>) => void;
  #hopeless = false;

  constructor(baseline: Baseline, tally: Tally, report: (event: Placeless<ReplayEvent>) => void) {
    this.#baseline = baseline;
    this.#tally = tally;
    this.#report = report;
  }

  /** Whether the last prompt was past all help. */
  get hopeless(): boolean {
    return this.#hopeless;
  }

  /** No pass can make a prompt fit whose fixed part alone does not. Said once, until that is over. */
  isHopeless(windowTokens: number, prompt: () => number): boolean {
    const before = this.#hopeless;
    this.#hopeless = this.#baseline.outside > windowTokens;
    if (this.#hopeless && before) this.#tally.overflows += 1;
    if (this.#hopeless && !before) this.refused(prompt(), windowTokens, true);
    return this.#hopeless;
  }

  /** A provider refuses a prompt above its window. */
  refused(promptTokens: number, windowTokens: number, gaveUp: boolean): void {
    this.#tally.overflows += 1;
    this.#report({ type: 'overflow', promptTokens, windowTokens, fixedTokens: this.#baseline.outside, gaveUp });
  }

  /** One that fits at last, or did at once. */
  sent(promptTokens: number): void {
    this.#tally.simulatedPeak = Math.max(this.#tally.simulatedPeak, promptTokens);
  }

  /** Old results were cleared instead of a pass, which costs nothing and makes a smaller prompt as well. */
  cleared(decision: Decision, clearedTokens: number): void {
    this.#tally.clear(clearedTokens);
    this.#report({ type: 'cleared', decision, clearedTokens });
  }

  /** A compaction of the recording: here it was never made. */
  leftOut(tokensBefore: number | undefined): void {
    this.#baseline.break();
    this.#report({ type: 'left_out', tokensBefore: tokensBefore ?? null });
  }
}
