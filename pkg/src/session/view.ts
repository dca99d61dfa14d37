// From index ranges back to the host's messages.

import type { Core } from '../boundary/glue.js';
import type { Reader } from '../formats/reader.js';
import type { View, ViewPart } from '../surface.js';
import type { Transcript } from './transcript.js';

/** Makes views, and remembers the last one to say how much of its beginning stayed. */
export class Views<M> {
  readonly #core: Core;
  readonly #reader: Reader<M>;
  readonly #transcript: Transcript;
  /** The newest one that was handed out. */
  latest: View<M> | undefined;
  #before: Sent = { parts: [], summary: '' };

  constructor(core: Core, reader: Reader<M>, transcript: Transcript) {
    this.#core = core;
    this.#reader = reader;
    this.#transcript = transcript;
  }

  /** The view of `messages`, which the transcript has just observed. */
  of(messages: readonly M[], now: number): View<M> {
    const sent = { parts: partsOf(this.#core.view()), summary: this.#core.summaryText() ?? '' };
    const stablePrefix = sharedPrefix(this.#before, sent, this.#transcript.takeUnchanged());
    this.#before = sent;
    this.latest = {
      messages: sent.parts.flatMap((part) => this.#shown(part, sent.summary, messages)),
      revision: this.#core.viewRevision(),
      entries: this.#transcript.length,
      at: now,
      tokens: this.#core.viewTokens(),
      stablePrefix,
      parts: sent.parts,
    };
    return this.latest;
  }

  #shown(part: ViewPart, summary: string, messages: readonly M[]): M[] {
    switch (part.kind) {
      case 'verbatim':
        return messages.slice(part.from, part.to);
      case 'summary':
        return [this.#reader.summaryMessage(summary)];
      case 'placeholder':
        return [this.#reader.lateResult(this.#transcript.text(part.index))];
    }
  }
}

interface Sent {
  readonly parts: readonly ViewPart[];
  readonly summary: string;
}

function partsOf(triples: Uint32Array): ViewPart[] {
  const parts: ViewPart[] = [];
  for (let i = 0; i + 2 < triples.length; i += 3) {
    const [kind, from = 0, to = 0] = triples.subarray(i, i + 3);
    if (kind === SUMMARY) parts.push({ kind: 'summary' });
    else parts.push(kind === LATE_RESULT ? { kind: 'placeholder', index: from } : { kind: 'verbatim', from, to });
  }
  return parts;
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
  if (part.kind === 'placeholder' && was?.kind === 'placeholder') return part.index === was.index && part.index < unchanged ? 1 : 0;
  return part.kind === 'summary' && was?.kind === 'summary' && sameSummary ? 1 : 0;
}

function sizeOf(part: ViewPart): number {
  return part.kind === 'verbatim' ? part.to - part.from : 1;
}

const SUMMARY = 1;
const LATE_RESULT = 2;
