import type { Decision, Snapshot } from 'compaction-governor';
import { Chart } from './chart.js';
import { h, say } from './dom.js';
import { clock, countdown, tokens } from './format.js';
import { Meter } from './meter.js';
import { WINDOW_TOKENS } from './model.js';
import { Records } from './records-view.js';
import type { Side } from './side.js';

/** What one side looks like: its decision, its numbers, its history and its store. */
export class Panel {
  readonly element: HTMLElement;
  readonly #state = h('span', { class: 'state' });
  readonly #wait = h('span', { class: 'wait' });
  readonly #sentence = h('p', { class: 'sentence' });
  readonly #exits = h('ul', { class: 'exits' });
  readonly #meter = new Meter();
  readonly #counts = h('dl', { class: 'counts' });
  readonly #chart = new Chart();
  readonly #words = h('p', { class: 'words' });
  readonly #decisions = h('ol', { class: 'decisions', tabindex: '0', 'aria-label': 'Last decisions' });
  readonly #records = new Records();
  #decided: Decision | undefined;

  constructor(readonly side: Side, heading: Node) {
    this.element = h('section', { class: 'panel', id: side.name, 'aria-labelledby': `${side.name}-title` },
      heading,
      h('div', { class: 'decision' }, h('p', { class: 'status' }, this.#state, this.#wait), this.#sentence, this.#exits),
      this.#counts,
      this.#meter.element,
      this.#chart.element,
      this.#words,
      h('h3', {}, 'Last decisions'), this.#decisions,
      this.#records.element);
  }

  /** Draws everything but the countdown. */
  draw(): void {
    const { session, host, tally, records, found, busy } = this.side;
    const snapshot = session.getSnapshot();
    this.element.dataset['state'] = stateOf(snapshot);
    this.element.setAttribute('aria-busy', String(busy));
    this.#decided = snapshot.decision;
    say(this.#state, stateOf(snapshot));
    this.#drawExits(snapshot);
    this.#meter.draw(snapshot, host.awaitsReading || snapshot.phase === 'awaiting_verdict');
    this.#chart.draw(host.chat.readings, snapshot.thresholdTokens, snapshot.windowTokens ?? WINDOW_TOKENS);
    this.#drawCounts(snapshot, tally.paid);
    this.#drawWords();
    this.#drawDecisions();
    this.#records.draw(session.id, records, found, snapshot);
    this.tick();
  }

  /** Moves on what depends on the time: the countdown, and the sentence that says how long. */
  tick(): void {
    say(this.#sentence, this.side.session.explain().sentence);
    const until = this.#decided === undefined || !('retryAt' in this.#decided) ? undefined : this.#decided.retryAt;
    this.#wait.dataset['until'] = until === undefined ? '' : String(until);
    say(this.#wait, until === undefined ? '' : until > Date.now() ? `next try in ${countdown(until, Date.now())}` : 'the next message may try once');
  }

  #drawExits({ decision, thresholdTokens }: Snapshot): void {
    const exits = decision.action === 'blocked' ? exitsOf(decision, thresholdTokens) : [];
    this.#exits.replaceChildren(...exits.map((exit) => h('li', {}, exit)));
  }

  #drawCounts(snapshot: Snapshot, paid: Side['tally']['paid']): void {
    const count = (label: string, name: string, value: string): HTMLElement =>
      h('div', {}, h('dt', {}, label), h('dd', { 'data-number': name }, value));
    const total = count(`paid in this tab, ${plural(paid.loads, 'load')}, ${plural(paid.passes, 'pass', 'passes')}`, 'paid', tokens(paid.tokens));
    total.classList.toggle('again', paid.tokens > snapshot.summaryTokensSpent);
    total.title = 'Counted by this page over its reloads, in sessionStorage.';
    this.#counts.replaceChildren(
      count('passes', 'passes', tokens(snapshot.compactions)),
      count('tokens spent on them', 'spent', tokens(snapshot.summaryTokensSpent)),
      total);
  }

  #drawWords(): void {
    const { you, model } = this.side.host.lastWords;
    this.#words.replaceChildren(h('span', {}, h('b', {}, 'you'), ` ${firstLine(you)}`), h('span', {}, h('b', {}, 'model'), ` ${firstLine(model)}`));
  }

  #drawDecisions(): void {
    this.#decisions.replaceChildren(...this.side.host.chat.log.toReversed().map((line) => h('li', {},
      h('time', {}, clock(line.at)),
      h('code', {}, line.times === 1 ? line.code : `${line.code} ×${line.times}`),
      h('span', {}, line.text))));
  }
}

/** What a person is told about a phase. */
type State = 'normal' | 'paused' | 'waiting' | 'due' | 'loading';

function stateOf({ phase, decision }: Snapshot): State {
  if (phase === 'loading') return 'loading';
  if (decision.action === 'blocked') return 'paused';
  if (decision.action === 'compact') return 'due';
  return decision.action === 'wait' || phase === 'compacting' || phase === 'awaiting_verdict' ? 'waiting' : 'normal';
}

function exitsOf(decision: Extract<Decision, { action: 'blocked' }>, thresholdTokens: number | null): string[] {
  const exits: string[] = [];
  if (decision.retryAt !== undefined) exits.push(`at ${clock(decision.retryAt)}: one try`);
  if (decision.unblocksAtTokens !== undefined) exits.push(`at ${tokens(decision.unblocksAtTokens)} tokens: one try`);
  if (decision.reason === 'ineffective' && thresholdTokens !== null) exits.push(`a reply below ${tokens(thresholdTokens)}: normal again`);
  exits.push('by hand: Compact now');
  return exits;
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${tokens(count)} ${count === 1 ? one : many}`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
