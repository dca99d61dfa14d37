// From index ranges back to the host's messages.

import type { Core } from '../boundary/glue.js';
import { compactionError } from '../errors.js';
import type { Reader } from '../formats/reader.js';
import type { View, ViewPart } from '../surface.js';
import type { Transcript } from './transcript.js';

/** Makes views, and remembers the last one to say how much of its beginning stayed. */
export class Views<M> {
  readonly #core: Core;
  readonly #reader: Reader<M>;
  readonly #transcript: Transcript<M>;
  /** The newest one that was handed out. */
  latest: View<M> | undefined;
  #before: Sent = { parts: [], summary: '' };

  constructor(core: Core, reader: Reader<M>, transcript: Transcript<M>) {
    this.#core = core;
    this.#reader = reader;
    this.#transcript = transcript;
  }

  /** The view of what the transcript has observed. */
  at(now: number): View<M> {
    if (this.#core.lacksTranscript()) throw compactionError('needs_transcript', 'the summary that this conversation went on behind was taken back; nothing is lost; pass the whole conversation, without `after`');
    const sent = { parts: partsOf(this.#core.view()), summary: this.#core.summaryText() ?? '' };
    const stablePrefix = sharedPrefix(this.#before, sent, this.#transcript.takeUnchanged());
    this.#before = sent;
    this.latest = {
      messages: sent.parts.flatMap((part) => this.#shown(part, sent.summary)),
      revision: this.#core.viewRevision(),
      entries: this.#transcript.length,
      at: now,
      tokens: this.#core.viewTokens(),
      stablePrefix,
      parts: sent.parts,
    };
    return this.latest;
  }

  #shown(part: ViewPart, summary: string): M[] {
    switch (part.kind) {
      case 'verbatim':
        return this.#transcript.slice(part.from, part.to);
      case 'summary':
        return [this.#reader.summaryMessage(summary)];
      case 'placeholder':
        return this.#standIn(part);
      case 'capped':
        return this.#transcript.slice(part.index, part.index + 1).map((message) => this.#reader.capped(message, part.bytes));
    }
  }

  #standIn({ index, was }: Placeholder): M[] {
    if (was === 'late_result') return [this.#reader.lateResult(this.#transcript.text(index))];
    return this.#transcript.slice(index, index + 1).map((message) => this.#reader.replaced(message, CLEARED));
  }
}

type Placeholder = Extract<ViewPart, { kind: 'placeholder' }>;

interface Sent {
  readonly parts: readonly ViewPart[];
  readonly summary: string;
}

function partsOf(triples: Uint32Array): ViewPart[] {
  const parts: ViewPart[] = [];
  for (let i = 0; i + 2 < triples.length; i += 3) {
    const [kind, from = 0, to = 0] = triples.subarray(i, i + 3);
    parts.push(partOf(kind, from, to));
  }
  return parts;
}

function partOf(kind: number | undefined, from: number, to: number): ViewPart {
  switch (kind) {
    case Kind.summary:
      return { kind: 'summary' };
    case Kind.lateResult:
      return { kind: 'placeholder', index: from, was: 'late_result' };
    case Kind.cleared:
      return { kind: 'placeholder', index: from, was: 'cleared' };
    case Kind.capped:
      return { kind: 'capped', index: from, bytes: to };
    default:
      return { kind: 'verbatim', from, to };
  }
}

/** How many leading messages two views share; `unchanged` says how many of the conversation stayed the same between them. */
function sharedPrefix(before: Sent, after: Sent, unchanged: number): number {
  let shared = 0;
  for (const [i, part] of after.parts.entries()) {
    const was = before.parts[i];
    const same = sharedOf(part, was, before.summary === after.summary, unchanged);
    shared += same;
    if (same < sizeOf(part) || was === undefined || same < sizeOf(was)) return shared;
  }
  return shared;
}

function sharedOf(part: ViewPart, was: ViewPart | undefined, sameSummary: boolean, unchanged: number): number {
  if (part.kind === 'verbatim' && was?.kind === 'verbatim' && part.from === was.from) return Math.max(0, Math.min(part.to, was.to, unchanged) - part.from);
  if (part.kind === 'placeholder' && was?.kind === 'placeholder') return part.index === was.index && part.was === was.was && part.index < unchanged ? 1 : 0;
  if (part.kind === 'capped' && was?.kind === 'capped') return part.index === was.index && part.bytes === was.bytes && part.index < unchanged ? 1 : 0;
  return part.kind === 'summary' && was?.kind === 'summary' && sameSummary ? 1 : 0;
}

function sizeOf(part: ViewPart): number {
  return part.kind === 'verbatim' ? part.to - part.from : 1;
}

const Kind = { summary: 1, lateResult: 2, cleared: 3, capped: 4 } as const;
/** The same bytes in every view; the crate counts it as `PLACEHOLDER_TOKENS`. */
const CLEARED = '[cleared to save room: an old tool result or attachment; read it again if it is needed]';
