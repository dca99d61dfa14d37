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
  #before: readonly string[] = [];

  constructor(core: Core, reader: Reader<M>, transcript: Transcript) {
    this.#core = core;
    this.#reader = reader;
    this.#transcript = transcript;
  }

  /** The view of `messages`, which the transcript has just observed. */
  of(messages: readonly M[], now: number): View<M> {
    const parts = partsOf(this.#core.view());
    const summary = this.#core.summaryText() ?? '';
    const sent: M[] = [];
    const fingerprints: string[] = [];
    for (const part of parts) {
      if (part.kind === 'summary') {
        sent.push(this.#reader.summaryMessage(summary));
        fingerprints.push(summary);
      } else if (part.kind === 'placeholder') {
        sent.push(this.#reader.lateResult(this.#transcript.text(part.index)));
        fingerprints.push(`late ${this.#transcript.fingerprint(part.index)}`);
      } else {
        for (let i = part.from; i < part.to; i++) fingerprints.push(this.#transcript.fingerprint(i));
        for (const message of messages.slice(part.from, part.to)) sent.push(message);
      }
    }
    const stablePrefix = sharedPrefix(this.#before, fingerprints);
    this.#before = fingerprints;
    return {
      messages: sent,
      revision: this.#core.viewRevision(),
      entries: this.#transcript.length,
      at: now,
      tokens: this.#core.viewTokens(),
      stablePrefix,
      parts,
    };
  }
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

function sharedPrefix(before: readonly string[], after: readonly string[]): number {
  let shared = 0;
  while (shared < before.length && shared < after.length && before[shared] === after[shared]) shared++;
  return shared;
}

const SUMMARY = 1;
const LATE_RESULT = 2;
