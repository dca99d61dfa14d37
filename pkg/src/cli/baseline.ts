// What each entry of a recording really weighed, worked out from the growth of the recorded prompts. A simulated prompt is
// put together from it: whatever stands in the view, plus what was outside the messages, plus the summary.

import type { TraceEntry } from './trace.js';
import { rough } from '../text/rough.js';

export class Baseline {
  /** Real tokens of the entries before each position: one more than there are entries. */
  readonly #sums: number[] = [0];
  /** Rough tokens of entries whose weight no prompt has shown yet. */
  #unweighed: number[] = [];
  #outside = 0;
  #lastPrompt: number | undefined;
  /** The next prompt cannot be compared with the last one. */
  #broken = false;
  #rough = 0;
  #real = 0;

  /** Tokens of the prompt that are no entry: system prompt, tools, whatever the host adds on its own. */
  get outside(): number {
    return Math.round(this.#outside);
  }

  add(entry: TraceEntry): void {
    this.#unweighed.push(entry.tokens);
  }

  /** The recording replaced or dropped part of its prompt: the next figure tells the weight of nothing. */
  break(): void {
    this.#broken = true;
  }

  rewind(length: number): void {
    const weighed = this.#sums.length - 1;
    this.#unweighed.length = Math.max(0, Math.min(this.#unweighed.length, length - weighed));
    this.#sums.length = Math.min(this.#sums.length, length + 1);
    this.break();
  }

  /** A recorded prompt that covers the first `entries` entries. */
  prompt(tokens: number, entries: number): void {
    const fresh = this.#unweighed.splice(0, Math.max(0, entries - (this.#sums.length - 1)));
    const rough = fresh.reduce((sum, one) => sum + one, 0);
    const last = this.#lastPrompt;
    this.#lastPrompt = tokens;
    if (last === undefined) this.#begin(tokens, fresh, rough);
    else if (this.#broken) this.#weigh(fresh, this.#ratio);
    else this.#grow(tokens - last, fresh, rough);
    this.#outside = Math.max(0, this.#outside);
    this.#broken = false;
  }

  /** The first prompt: its entries weigh what they are roughly taken to weigh, and the rest was outside of them. */
  #begin(prompt: number, fresh: readonly number[], rough: number): void {
    const inside = Math.min(prompt, rough);
    this.#outside = prompt - inside;
    this.#weigh(fresh, rough > 0 ? inside / rough : 1);
  }

  #grow(grown: number, fresh: readonly number[], rough: number): void {
    if (grown < 0 || rough === 0) {
      this.#outside += grown - rough * this.#ratio;
      this.#weigh(fresh, this.#ratio);
      return;
    }
    this.#rough += rough;
    this.#real += grown;
    this.#weigh(fresh, grown / rough);
  }

  /** The prompt that holds `view` of the first `entries` entries and a summary of `summaryTokens`. */
  of(view: Uint32Array, entries: number, summaryTokens: number): number {
    let total = this.#outside;
    for (let at = 0; at + 2 < view.length; at += 3) {
      const [kind = 0, from = 0, to = 0] = view.subarray(at, at + 3);
      if (kind === SUMMARY) total += summaryTokens;
      else if (kind === CLEARED) total += Math.min(this.#weight(from, from + 1, entries), CLEARED_TOKENS);
      else if (kind === CAPPED) total += Math.min(this.#weight(from, from + 1, entries), rough(to));
      else total += this.#weight(from, to, entries);
    }
    return Math.max(1, Math.round(total));
  }

  #weight(from: number, to: number, entries: number): number {
    return this.#before(Math.min(to, entries)) - this.#before(Math.min(from, entries));
  }

  #before(position: number): number {
    return this.#sums[Math.min(position, this.#sums.length - 1)] ?? 0;
  }

  #weigh(rough: readonly number[], factor: number): void {
    for (const one of rough) this.#sums.push((this.#sums.at(-1) ?? 0) + one * factor);
  }

  /** Real tokens per rough one, so far. */
  get #ratio(): number {
    return this.#rough > 0 && this.#real > 0 ? this.#real / this.#rough : 1;
  }
}

/** The kinds of a view's parts that do not weigh what their entries do. */
const SUMMARY = 1;
const CLEARED = 3;
const CAPPED = 4;
/** What the crate counts for a placeholder. */
const CLEARED_TOKENS = 32;
