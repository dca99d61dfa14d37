// The host's messages beside their numbers in the index: which of them the index knows, by identity and fingerprint.

import type { Core } from '../boundary/glue.js';
import { branded, compactionError } from '../errors.js';
import { isFields, textAt } from '../formats/shape/json.js';
import { Flag, Role, type Reader, type Reading, type TextCount } from '../formats/reader.js';
import type { CompactionError } from '../surface.js';

/** All of the core that this file may touch. */
type Index = Pick<Core, 'push' | 'truncate' | 'resumeAfter'>;

interface Known<M> {
  message: M;
  readonly hi: number;
  readonly lo: number;
  readonly system: boolean;
  readonly calls: readonly string[];
}

/** Messages that are not held: `length` of them, behind the `at` system messages in front; the last is called `through`. */
interface Gap {
  readonly at: number;
  readonly length: number;
  readonly through: string;
}

/** Keeps the index in step with the conversation: reads what is new, and cuts back to where an edit or another branch begins. */
export class Transcript<M = unknown> {
  readonly #core: Index;
  readonly #count: TextCount | undefined;
  readonly #reader: Pick<Reader<M>, 'message' | 'text' | 'id'>;
  /** The messages that are held, in order: those in front of the gap, then those behind it. */
  readonly #known: Known<M>[] = [];
  /** Where each call id was opened; the latest call wins where ids are reused. */
  readonly #groups = new Map<string, number>();
  #gap: Gap = WHOLE;
  #unchanged = 0;

  constructor(core: Index, reader: Pick<Reader<M>, 'message' | 'text' | 'id'>, count?: TextCount) {
    this.#core = core;
    this.#count = count;
    this.#reader = reader;
  }

  get length(): number {
    return this.#known.length + this.#gap.length;
  }

  /** All messages; or, with `after`, the system messages in front and those behind the message with this id. */
  observe(messages: readonly M[], after?: string): void {
    const held = after === undefined ? this.#fromTheStart() : this.#behind(after, messages);
    const skip = after === undefined ? 0 : this.#headLength();
    const agreed = this.#agreed(messages, skip, held);
    if (held + agreed < this.#known.length) this.#truncate(held + agreed);
    for (const message of messages.slice(skip + agreed)) this.#push(message);
  }

  /** The messages of the entries from `from` to before `to`. */
  slice(from: number, to: number): M[] {
    return this.#known.slice(this.#slot(from), this.#slot(to)).map(({ message }) => message);
  }

  /** What a summariser is shown of the entry at `index`. */
  text(index: number): string {
    return this.#reader.text(this.#known[this.#slot(index)]?.message);
  }

  /** The id of the message at `index`: the host's own, or its place and content where it has none. */
  id(index: number): string {
    const known = this.#known[this.#slot(index)];
    return known === undefined ? '' : (this.#ownId(known.message) ?? `${index + 1}-${hex(known.hi)}${hex(known.lo)}`);
  }

  /** The place of the newest message with this id; -1 where there is none. */
  find(id: string): number {
    for (let slot = this.#known.length - 1; slot >= 0; slot--) if (this.id(this.#place(slot)) === id) return this.#place(slot);
    return -1;
  }

  /** How many leading messages have stayed the same since the last call. */
  takeUnchanged(): number {
    const unchanged = this.#unchanged;
    this.#unchanged = this.length;
    return unchanged;
  }

  #fromTheStart(): number {
    if (this.#gap.length > 0) {
      this.#truncate(0);
      this.#gap = WHOLE;
    }
    return 0;
  }

  /** How many held messages come before those behind `after`. */
  #behind(after: string, messages: readonly M[]): number {
    const { at, length, through } = this.#gap;
    const held = length > 0 && after === through ? at : this.#slot(this.find(after)) + 1;
    const head = this.#headLength();
    if (held === 0 || held < head) return this.#resume(after, messages);
    const same = messages.slice(0, head).filter((message, i) => this.#adopt(message, i));
    if (same.length === head) return held;
    if (length > 0 && after === through) return this.#resume(after, messages);
    throw headChanged();
  }

  /** Begins anew behind a message that is not held, if the record knows how. */
  #resume(after: string, messages: readonly M[]): number {
    const head: { message: M; reading: Reading }[] = [];
    for (const message of messages) {
      const reading = this.#reader.message(message, this.#count);
      if (!isSystem(reading)) break;
      head.push({ message, reading });
    }
    const words = head.flatMap(({ reading: { hi, lo, flags, tokens } }) => [hi, lo, flags, tokens]);
    const [taken = 0, next = 0] = branded(() => this.#core.resumeAfter(after, Uint32Array.from(words)));
    this.#known.length = 0;
    this.#groups.clear();
    this.#unchanged = 0;
    for (const { message, reading } of head.slice(0, taken)) this.#keep(message, reading);
    this.#gap = { at: taken, length: next - taken, through: after };
    return taken;
  }

  #headLength(): number {
    if (this.#gap.length > 0) return this.#gap.at;
    const first = this.#known.findIndex(({ system }) => !system);
    return first < 0 ? this.#known.length : first;
  }

  #slot(place: number): number {
    return place <= this.#gap.at ? place : Math.max(this.#gap.at, place - this.#gap.length);
  }

  #place(slot: number): number {
    return slot < this.#gap.at ? slot : slot + this.#gap.length;
  }

  /**
   * How many of the messages from `skip` on are those held from `held` on. The last known message is read again although it is the same
   * object: hosts stream into it.
   */
  #agreed(messages: readonly M[], skip: number, held: number): number {
    let agreed = -skip;
    for (const message of messages) {
      const slot = held + agreed;
      if (agreed >= 0) {
        if (slot >= this.#known.length) break;
        const identical = message === this.#known[slot]?.message && slot + 1 < this.#known.length;
        if (!identical && !this.#adopt(message, slot)) break;
      }
      agreed++;
    }
    return Math.max(0, agreed);
  }

  #adopt(message: M, slot: number): boolean {
    const known = this.#known[slot];
    const { hi, lo } = this.#reader.message(message, this.#count);
    if (!known || known.hi !== hi || known.lo !== lo) return false;
    known.message = message;
    return true;
  }

  #truncate(slots: number): void {
    this.#core.truncate(slots === 0 ? 0 : this.#place(slots));
    this.#unchanged = Math.min(this.#unchanged, this.#place(slots));
    this.#known.length = slots;
    this.#groups.clear();
    this.#known.forEach(({ calls }, slot) => this.#openCalls(calls, this.#place(slot)));
  }

  #push(message: M): void {
    const reading = this.#reader.message(message, this.#count);
    const { hi, lo, role, flags, tokens, calls, answers, bytes } = reading;
    const group = this.#groupOf(reading);
    this.#openCalls(calls, this.length);
    this.#core.push(hi, lo, role, flags, tokens, group, Math.min(calls.length || answers.length, MOST_CALLS), Math.min(bytes, MOST_BYTES));
    this.#keep(message, reading);
  }

  #keep(message: M, reading: Reading): void {
    const { hi, lo, calls } = reading;
    this.#known.push({ message, hi, lo, system: isSystem(reading), calls });
  }

  /**
   * The first of the calls that it answers: what it answers may have been asked in several messages, all bound by the first, since a
   * group has no gaps: no cut falls between it and what answers it, whatever stands between. A call that
   * is not held lies in the gap, whose last entry stands for it.
   */
  #groupOf({ answers }: Reading): number {
    let first = ALONE;
    for (const id of answers) first = Math.min(first, this.#groups.get(id) ?? ALONE);
    const { at, length } = this.#gap;
    return first === ALONE && answers.length > 0 && length > 0 ? at + length - 1 : first;
  }

  /** Hosts put ids on messages of formats that have none. */
  #ownId(message: M): string | undefined {
    return this.#reader.id(message) ?? (isFields(message) ? textAt(message, 'id') : undefined);
  }

  #openCalls(calls: readonly string[], index: number): void {
    for (const id of calls) this.#groups.set(id, index);
  }
}

function isSystem({ role, flags }: Reading): boolean {
  return role === Role.system && (flags & Flag.hostSummary) === 0;
}

function headChanged(): CompactionError {
  return compactionError('head_changed', 'the system messages in front are not those of the conversation; nothing is lost; pass the whole conversation');
}

function hex(word: number): string {
  return word.toString(16).padStart(8, '0');
}

const WHOLE: Gap = { at: 0, length: 0, through: '' };
/** The crate's `Entry::ALONE`. */
const ALONE = 0xffff_ffff;
/** What the index counts up to. */
const MOST_CALLS = 255;
/** `u32::MAX`. */
const MOST_BYTES = 0xffff_ffff;
