import type { Snapshot } from 'compaction-governor';
import { h, say } from './dom.js';
import { tokens } from './format.js';

/** The window as a bar: what is used, what of it is fixed, and the lines it is held against. */
export class Meter {
  readonly element: HTMLElement;
  readonly #used = h('span', { class: 'used-figure', 'data-number': 'used' });
  readonly #source = h('span', { class: 'source' });
  readonly #bar = h('div', { class: 'bar', 'aria-hidden': 'true' });
  readonly #parts = { used: h('i', { class: 'part used' }), fixed: h('i', { class: 'part fixed' }), target: h('i', { class: 'line target' }), threshold: h('i', { class: 'line threshold' }) };
  readonly #numbers: Record<'fixed' | 'target' | 'threshold' | 'window', HTMLElement>;

  constructor() {
    const number = (name: string): HTMLElement => h('dd', { 'data-number': name });
    this.#numbers = { fixed: number('fixed'), target: number('target'), threshold: number('threshold'), window: number('window') };
    this.#bar.append(this.#parts.used, this.#parts.fixed, this.#parts.target, this.#parts.threshold);
    const legend = h('dl', { class: 'legend' });
    for (const [name, label] of LABELS) legend.append(h('div', { class: `key ${name}` }, h('dt', {}, label), this.#numbers[name]));
    this.element = h('div', { class: 'meter' }, h('p', { class: 'reading' }, this.#used, this.#source), this.#bar, legend);
  }

  /** Draws the numbers of a snapshot. After a pass, what is used is not known until a reply counts it. */
  draw(snapshot: Snapshot, awaitsReading: boolean): void {
    const { usedTokens, floorTokens, targetTokens, thresholdTokens, windowTokens } = snapshot;
    const unknown = awaitsReading || usedTokens === null;
    say(this.#used, unknown ? 'unknown until the next reply' : tokens(usedTokens));
    say(this.#source, unknown ? '' : ` tokens used, ${SOURCES[snapshot.confidence]}`);
    this.#used.classList.toggle('unknown', unknown);
    this.#bar.classList.toggle('unknown', unknown);
    say(this.#numbers.fixed, tokens(floorTokens));
    say(this.#numbers.target, orDash(targetTokens));
    say(this.#numbers.threshold, orDash(thresholdTokens));
    say(this.#numbers.window, orDash(windowTokens));
    const share = (part: number | null): string => `${Math.min(100, ((part ?? 0) / (windowTokens ?? 1)) * 100).toFixed(2)}%`;
    this.#parts.used.style.inlineSize = share(usedTokens);
    this.#parts.fixed.style.inlineSize = share(Math.min(floorTokens, usedTokens ?? floorTokens));
    this.#parts.target.style.insetInlineStart = share(targetTokens);
    this.#parts.threshold.style.insetInlineStart = share(thresholdTokens);
  }
}

function orDash(count: number | null): string {
  return count === null ? 'unknown' : tokens(count);
}

const LABELS = [['fixed', 'fixed part'], ['target', 'target'], ['threshold', 'threshold'], ['window', 'window']] as const;
const SOURCES = { reported: 'counted by the provider', calibrated: 'estimated from earlier counts', estimated: 'estimated', unknown: 'not known yet' } as const;
