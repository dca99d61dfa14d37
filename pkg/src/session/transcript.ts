// The host's messages beside their numbers in the index: which of them the index knows, by identity and fingerprint.

import type { Core } from '../boundary/glue.js';
import type { Reader, Reading } from '../formats/reader.js';

/** All of the core that this file may touch. */
type Index = Pick<Core, 'push' | 'truncate'>;

interface Known {
  message: unknown;
  readonly hi: number;
  readonly lo: number;
  /** The index of the message that opened the call it belongs to. */
  readonly group: number;
  readonly calls: readonly string[];
}

/** Keeps the index in step with the conversation: reads what is new, and cuts back to where an edit or another branch begins. */
export class Transcript {
  readonly #core: Index;
  readonly #reader: Reader<unknown>;
  readonly #known: Known[] = [];
  /** Where each call id was opened; the latest call wins where ids are reused. */
  readonly #groups = new Map<string, number>();
  #unchanged = 0;

  constructor(core: Index, reader: Reader<unknown>) {
    this.#core = core;
    this.#reader = reader;
  }

  get length(): number {
    return this.#known.length;
  }

  observe(messages: readonly unknown[]): void {
    const agreed = this.#agreed(messages);
    if (agreed < this.#known.length) this.#truncate(agreed);
    for (let i = agreed; i < messages.length; i++) this.#push(messages[i]);
  }

  /** What a summariser is shown of the entry at `index`. */
  text(index: number): string {
    return this.#reader.text(this.#known[index]?.message);
  }

  /** How many leading messages have stayed the same since the last call. */
  takeUnchanged(): number {
    const unchanged = this.#unchanged;
    this.#unchanged = this.#known.length;
    return unchanged;
  }

  /** The last known message is read again although it is the same object: hosts stream into it. */
  #agreed(messages: readonly unknown[]): number {
    const shared = Math.min(messages.length, this.#known.length);
    for (let i = 0; i < shared; i++) {
      const identical = messages[i] === this.#known[i]?.message && i + 1 < this.#known.length;
      if (!identical && !this.#adopt(messages[i], i)) return i;
    }
    return shared;
  }

  #adopt(message: unknown, index: number): boolean {
    const known = this.#known[index];
    const { hi, lo } = this.#reader.message(message);
    if (!known || known.hi !== hi || known.lo !== lo) return false;
    known.message = message;
    return true;
  }

  #truncate(length: number): void {
    this.#core.truncate(length);
    this.#unchanged = Math.min(this.#unchanged, length);
    this.#known.length = length;
    this.#groups.clear();
    this.#known.forEach(({ calls }, index) => this.#openCalls(calls, index));
  }

  #push(message: unknown): void {
    const reading = this.#reader.message(message);
    const { hi, lo, role, flags, tokens, calls, answers } = reading;
    const group = this.#groupOf(reading);
    this.#openCalls(calls, this.#known.length);
    this.#core.push(hi, lo, role, flags, tokens, group, Math.min(calls.length || answers.length, MOST_CALLS));
    this.#known.push({ message, hi, lo, group, calls });
  }

  /** The first of the calls that it answers: what it answers may have been asked in several messages, all bound by the first. */
  #groupOf({ answers }: Reading): number {
    let first = ALONE;
    for (const id of answers) first = Math.min(first, this.#groups.get(id) ?? ALONE);
    return first;
  }

  #openCalls(calls: readonly string[], index: number): void {
    for (const id of calls) this.#groups.set(id, index);
  }
}

/** The crate's `Entry::ALONE`. */
const ALONE = 0xffff_ffff;
/** What the index counts up to. */
const MOST_CALLS = 255;
