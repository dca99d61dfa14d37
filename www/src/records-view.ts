import type { Opened, Snapshot, StoredRecord } from 'compaction-governor';
import { h, say } from './dom.js';
import { bytes } from './format.js';
import { rootInWords } from './records.js';

/** What is in the store: each record with its size, and the root record in words. */
export class Records {
  readonly element: HTMLElement;
  readonly #revision = h('span', { 'data-number': 'revision' });
  readonly #promise = h('p', { class: 'promise' });
  readonly #rows = h('tbody');
  readonly #root = h('pre', { tabindex: '0', 'aria-label': 'The root record, decoded' });

  constructor() {
    const head = h('tr', {}, h('th', { scope: 'col' }, 'record'), h('th', { scope: 'col' }, 'size'));
    this.element = h('div', { class: 'store' },
      h('h3', {}, 'In the store, ', this.#revision), this.#promise,
      h('div', { class: 'rows' }, h('table', {}, h('thead', {}, head), this.#rows)),
      h('details', {}, h('summary', {}, 'The root record, decoded'), this.#root));
  }

  /** Draws what was last read from the store. */
  draw(session: string, records: readonly StoredRecord[], found: Opened['found'], { durability, persisted }: Snapshot): void {
    say(this.#promise, `${PROMISES[durability]} ${persisted ? 'Kept when space gets short. ' : ''}${found === 'existing' ? 'Found on opening.' : `On opening: ${found.replace('_', ' ')}.`}`);
    this.#rows.replaceChildren(...records.map(({ part, bytes: content }) => h('tr', { 'data-part': part },
      h('td', {}, part), h('td', {}, bytes(content.length)))));
    say(this.#revision, records[0] === undefined ? 'nothing yet' : `revision ${records[0].revision}`);
    say(this.#root, rootInWords(records, session));
  }
}

const PROMISES = {
  durable: 'Survives a reload, a crash of the tab and a kill of the browser.',
  reload_only: 'Survives a reload; not a kill of the browser.',
  counters_only: 'No room for the summary: it is in memory only, the counters are stored.',
  memory: 'Lives in this page only; a reload forgets it.',
  degraded: 'The store does not answer: state goes on in memory, writes are tried again.',
} as const;
