// Builds the entries of one conversation: sizes, hashes, and which of them may not be parted.

import type { Fields } from '../json.js';
import { Flag, IMAGE_TOKENS, Role, type TraceEntry } from '../trace.js';
import { isBlob } from '../../formats/shape/blob.js';
import { rough } from '../../text/rough.js';
import { blobBytes } from './media.js';
import { isSummary } from './summaries.js';

/** What a reader found in one message. */
export interface Draft {
  role: Role;
  flags?: number;
  /** The texts that the model reads, in order. */
  texts: readonly string[];
  images?: number;
  /** Characters of the pictures and files that are kept inline. */
  mediaBytes?: number;
  /** Ids of the tool calls that it opens. */
  calls?: readonly string[];
  /** The id of the tool call that it answers. */
  answers?: string;
  /** It is no entry but a summary that takes the place of everything before it: how many bytes the model reads of it. */
  compacts?: number;
}

/** A model's answer that is put together from several parts. */
export interface Answer extends Draft {
  texts: string[];
  calls: string[];
}

export function blankAnswer(): Answer {
  return { role: Role.assistant, texts: [], calls: [] };
}

/** The entries of one conversation so far, as far as later ones refer to them. */
export class Entries {
  #count = 0;
  #openedBy = new Map<string, number>();

  /** How many entries stand. */
  get count(): number {
    return this.#count;
  }

  /** `source`: the message of a document that says it. */
  add(draft: Draft, source?: Fields): TraceEntry {
    const calls = draft.calls ?? [];
    const images = draft.images ?? 0;
    const answered = draft.answers === undefined ? undefined : this.#openedBy.get(draft.answers);
    for (const call of calls) this.#openedBy.set(call, this.#count);
    const bytes = draft.texts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    const blobs = draft.texts.reduce((sum, part) => sum + blobBytes(part), 0);
    const entry: TraceEntry = {
      role: draft.role,
      flags: flagsOf(draft, calls.length, images) | (draft.texts.some(isBlob) ? Flag.blob : 0),
      tokens: rough(bytes) + images * IMAGE_TOKENS,
      bytes,
      mediaBytes: (draft.mediaBytes ?? 0) + blobs,
      group: answered ?? this.#count,
      calls: calls.length,
      idHash: hash(draft),
      said: { texts: draft.texts, calls, answers: draft.answers, source },
    };
    this.#count += 1;
    return entry;
  }

  /** The entry at `opener` came back with other ids for its calls: results may name these as well. */
  renamed(calls: readonly string[], opener: number): void {
    for (const call of calls) this.#openedBy.set(call, opener);
  }

  /** Forgets the entries from `length` on. */
  rewind(length: number): void {
    this.#count = Math.min(this.#count, length);
    for (const [call, opener] of this.#openedBy) if (opener >= length) this.#openedBy.delete(call);
  }
}

function flagsOf(draft: Draft, calls: number, images: number): number {
  const summary = draft.role !== Role.tool && isSummary(draft.texts) ? Flag.hostSummary : 0;
  return (draft.flags ?? 0) | summary | (calls > 0 ? Flag.call : 0) | (draft.answers !== undefined ? Flag.result : 0) | (images > 0 ? Flag.image : 0);
}

/** Equal for equal role, text, pictures and calls, however a format spreads them over parts. */
export function hash(draft: Draft): readonly [number, number] {
  let lanes: [number, number] = [0x9e37_79b9 ^ draft.role, 0x85eb_ca6b ^ (draft.images ?? 0)];
  const parts = [draft.texts.join(''), ...(draft.calls ?? []), draft.answers ?? ''];
  for (const part of parts) lanes = mix(lanes, part);
  return [finish(lanes[0], lanes[1]), finish(lanes[1], lanes[0])];
}

function mix([first, second]: [number, number], part: string): [number, number] {
  for (let at = 0; at < part.length; at += 1) {
    const unit = part.charCodeAt(at);
    first = Math.imul(first ^ unit, 0x9e37_79b1);
    second = Math.imul(second ^ unit, 0x85eb_ca77);
  }
  // A separator outside the range of UTF-16: 'ab' + 'c' and 'a' + 'bc' differ.
  return [Math.imul(first ^ 0x1_0001, 0x9e37_79b1), Math.imul(second ^ 0x1_0001, 0x85eb_ca77)];
}

function finish(lane: number, other: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85eb_ca6b) ^ other;
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
