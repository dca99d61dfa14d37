import { h, say, svg } from './dom.js';
import { tokens } from './format.js';
import type { Reading } from './host.js';

/** Every prompt as the provider counted it: a column each, the threshold across, and after a pass what it was expected to leave. */
export class Chart {
  readonly element: HTMLElement;
  readonly #plot = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  readonly #caption = h('figcaption');

  constructor() {
    this.element = h('figure', { class: 'chart' });
    this.element.append(this.#plot, this.#caption);
  }

  /** Draws the last readings against the window. */
  draw(readings: readonly Reading[], thresholdTokens: number | null, windowTokens: number): void {
    const shown = readings.slice(-COLUMNS);
    const y = (count: number): number => HEIGHT - (count / windowTokens) * HEIGHT;
    const column = (index: number, count: number, kind: string): SVGElement =>
      svg('rect', { class: kind, x: index * STEP, width: STEP - GAP, y: y(count), height: HEIGHT - y(count) });
    const columns = shown.flatMap(({ tokens: count, expected }, index) => expected === undefined
      ? [column(index, count, 'column')]
      : [column(index, count, 'after-pass'), column(index, expected, 'column')]);
    const line = svg('line', { class: 'threshold', x1: 0, x2: WIDTH, y1: y(thresholdTokens ?? 0), y2: y(thresholdTokens ?? 0) });
    this.#plot.replaceChildren(...columns, line);
    say(this.#caption, caption(shown, readings.length));
  }
}

function caption(shown: readonly Reading[], all: number): string {
  const after = shown.flatMap(({ tokens: count, expected }) => expected === undefined ? [] : [`${tokens(count)} instead of ${tokens(expected)}`]);
  return `${all} prompts as counted; after a pass: ${after.length === 0 ? 'none yet' : after.join('; ')}`;
}

const COLUMNS = 60;
const STEP = 6;
const GAP = 1.5;
const WIDTH = COLUMNS * STEP;
const HEIGHT = 48;
