// The pieces of a message as numbers. Only what a model sees is fingerprinted: a host may add, drop or reorder any other field.

import { Digest } from '../../text/digest.js';
import { rough } from '../../text/rough.js';
import { isBlob } from './blob.js';
import { isHostSummary } from './host-summary.js';
import { isFields } from './json.js';
import type { Pieces } from './pieces.js';
import { Flag, Role, type Reading, type TextCount } from '../reader.js';
import { Trail } from './trail.js';

export class Scan implements Pieces {
  readonly #digest = new Digest();
  readonly #trail = new Trail();
  readonly #marker: string | undefined;
  readonly #count: TextCount | undefined;
  #role: number = Role.assistant;
  #flags = 0;
  #textTokens = FRAME_TOKENS;
  #mediaTokens = 0;
  #mediaBytes = 0;
  #thinks = false;
  #calls: string[] | undefined;
  #answers: string[] | undefined;

  /** A text that begins with `marker` is a summary that the host wrote. */
  constructor(marker?: string, count?: TextCount) {
    this.#marker = marker;
    this.#count = count;
  }

  reading(): Reading {
    const { hi, lo, bytes } = this.#digest;
    return {
      hi,
      lo,
      role: this.#role,
      flags: this.#onlyThinks() ? Flag.leads : this.#flags,
      tokens: Math.min((this.#count ? Math.ceil(this.#textTokens) : rough(bytes)) + this.#mediaTokens, MAX_COUNT),
      bytes: Math.min(bytes + this.#mediaBytes, MAX_COUNT),
      calls: this.#calls ?? NONE,
      answers: this.#answers ?? NONE,
    };
  }

  role(role: number): void {
    this.#role = role;
    this.#digest.mark(Tag.role + role);
  }

  become(role: number): void {
    this.#role = role;
  }

  /** Empty text is no text: hosts store `null`, `''` or nothing for a message that only calls tools. */
  text(text: string): void {
    if (text === '') return;
    if (this.#role !== Role.tool && isHostSummary(text, this.#marker)) this.#flags |= Flag.hostSummary;
    this.#digest.mark(Tag.text);
    this.#words(text);
  }

  call(id: string | undefined, name: unknown, input: unknown): void {
    this.#flags |= Flag.call;
    (this.#calls ??= []).push(id ?? '');
    this.#digest.mark(Tag.call);
    if (id !== undefined) this.#digest.opaque(id);
    this.#anything(name);
    this.#anything(input);
  }

  closedCall(name: unknown, input: unknown): void {
    this.#digest.mark(Tag.call);
    this.#anything(name);
    this.#anything(input);
  }

  answer(id: string | undefined): void {
    this.#flags |= Flag.result;
    if (id === undefined) return;
    (this.#answers ??= []).push(id);
    this.#digest.mark(Tag.answer);
    this.#digest.opaque(id);
  }

  media(_kind: string, source: unknown, tokens = MEDIA_TOKENS): void {
    this.#flags |= Flag.image;
    this.#mediaTokens += tokens;
    this.#digest.mark(Tag.media);
    this.#opaque(source);
  }

  value(value: unknown): void {
    this.#anything(value);
  }

  sealed(_kind: string, value: unknown): void {
    const before = this.#mediaBytes;
    this.#digest.mark(Tag.sealed);
    this.#opaque(value);
    this.#mediaTokens += Math.ceil((this.#mediaBytes - before) / SEALED_BYTES);
  }

  reasoning(value: unknown): void {
    this.#thinks = true;
    const size = typeof value === 'string' ? value.length : 0;
    this.#mediaBytes += size;
    this.#mediaTokens += this.#count && typeof value === 'string' ? Math.ceil(this.#count(value)) : rough(size);
  }

  flag(flag: number): void {
    this.#flags |= flag;
  }

  /** A thought that stands alone belongs to what the model says next. */
  #onlyThinks(): boolean {
    return this.#thinks && this.#digest.bytes === 0 && this.#flags === 0;
  }

  #words(text: string): void {
    if (isBlob(text)) this.#flags |= Flag.blob;
    this.#digest.text(text);
    this.#counted(text);
  }

  #counted(text: string): void {
    if (this.#count) this.#textTokens += this.#count(text);
  }

  /** Any JSON, in an order that does not depend on how its keys were written. */
  #anything(value: unknown): void {
    this.#digest.mark(Tag.value);
    if (typeof value === 'string') this.#words(value);
    else if (value instanceof Uint8Array) this.#opaque(value);
    else if (!isFields(value)) this.#scalar(value ?? null);
    else if (this.#trail.enter(value)) {
      for (const key of Object.keys(value).sort()) {
        this.#digest.mark(Tag.key);
        this.#digest.text(key);
        this.#textTokens += JOINT_TOKENS;
        if (!Array.isArray(value)) this.#counted(key);
        this.#anything(value[key]);
      }
      this.#trail.leave();
    }
  }

  #scalar(value: unknown): void {
    this.#digest.scalar(value);
    this.#counted(String(value));
  }

  /** Told apart, and not counted as text. */
  #opaque(value: unknown): void {
    if (typeof value === 'string') this.#data(value);
    else if (value instanceof Uint8Array) this.#data(latin1(value), value.length);
    else if (isFields(value) && this.#trail.enter(value)) {
      for (const key of Object.keys(value).sort()) {
        this.#digest.opaque(key);
        this.#opaque(value[key]);
      }
      this.#trail.leave();
    }
  }

  #data(data: string, bytes = data.length): void {
    this.#mediaBytes += bytes;
    this.#digest.opaque(data);
  }
}

/** Both ends of `bytes` as one character each, and the length: as much as a digest keeps of opaque data. */
function latin1(bytes: Uint8Array): string {
  const ends = bytes.length > 2 * END ? [bytes.subarray(0, END), bytes.subarray(-END)] : [bytes];
  return `${bytes.length} ${ends.map((end) => String.fromCharCode(...end)).join('')}`;
}

const NONE: readonly string[] = [];
/** Tags of the fingerprint. Stored fingerprints depend on them: add at the end, never renumber. */
const Tag = { role: 0, text: 8, media: 9, call: 10, answer: 11, value: 12, key: 13, sealed: 14 } as const;
/** One image or file until its real price is known: OpenAI charges 765 for a square megapixel, Anthropic at most about 1,600. */
const MEDIA_TOKENS = 1_200;
/** What stands around a message in a prompt: OpenAI names three tokens, and one for the role. */
const FRAME_TOKENS = 4;
/** Quotes, colon and comma between two keys or items of JSON: mostly one token of a vocabulary. */
const JOINT_TOKENS = 1;
/** Encrypted bytes to a token: OpenAI counted 266 tokens for a compaction of 2,764 characters. */
const SEALED_BYTES = 10;
/** `u32::MAX`: the index holds no more. */
const MAX_COUNT = 0xffff_ffff;
/** Bytes of each end that tell one binary from another: as many as a digest reads of opaque text, less its length in front. */
const END = 1_024;
