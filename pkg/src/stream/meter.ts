// Reads usage from what passes by. Of bytes and text only the end is kept, where providers put the usage.

import type { Usage } from '../formats/reader.js';

export type ReadUsage = (source: unknown) => Usage | undefined;
type Piece = string | Uint8Array;

/** Sees every chunk of one stream, and reports once. */
export class Meter {
  readonly #read: ReadUsage;
  readonly #report: (usage: Usage | undefined) => void;
  readonly #pieces: Piece[] = [];
  #kept = 0;
  #seen: Usage | undefined;
  #closed = false;

  constructor(read: ReadUsage, report: (usage: Usage | undefined) => void) {
    this.#read = read;
    this.#report = report;
  }

  chunk(chunk: unknown): void {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.#keep(chunk.slice(-TAIL));
    else this.#seen = this.#read(chunk) ?? this.#seen;
  }

  /** The stream ended, failed or was cancelled: what was counted until then counts. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#report(this.#seen ?? this.#fromTail());
    this.#pieces.length = 0;
  }

  /** Copies of the last pieces: a consumer may transfer or overwrite the buffer of a chunk. */
  #keep(piece: Piece): void {
    this.#pieces.push(piece);
    this.#kept += piece.length;
    while (this.#kept - (this.#pieces[0]?.length ?? 0) >= TAIL) this.#kept -= this.#pieces.shift()?.length ?? 0;
  }

  /** The last object behind a `"usage":` or `"usageMetadata":` that reads as one. Inside a JSON string the quotes would be escaped. */
  #fromTail(): Usage | undefined {
    const tail = this.#text();
    for (let at = tail.lastIndexOf(KEY); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(KEY, at - 1)) {
      const end = tail.indexOf('"', at + KEY.length);
      const usage = this.#read({ [tail.slice(at + 1, end)]: objectAt(tail, end + 1) });
      if (usage) return usage;
    }
    return undefined;
  }

  #text(): string {
    const bytes = this.#pieces.filter((piece) => typeof piece !== 'string');
    if (bytes.length < this.#pieces.length) return this.#pieces.filter((piece) => typeof piece === 'string').join('');
    const joined = new Uint8Array(this.#kept);
    let at = 0;
    for (const piece of bytes) {
      joined.set(piece, at);
      at += piece.length;
    }
    return new TextDecoder().decode(joined);
  }
}

/** The JSON object that begins behind `: ` at `from`, if one does. Usage objects hold no strings with braces. */
function objectAt(text: string, from: number): unknown {
  const start = /^\s*:\s*(?=\{)/.exec(text.slice(from, from + LOOK_AHEAD))?.[0].length;
  if (start === undefined) return undefined;
  let depth = 0;
  for (let i = from + start; i < text.length; i++) {
    if (text[i] === '{') depth++;
    if (text[i] === '}' && --depth === 0) return parsed(text.slice(from + start, i + 1));
  }
  return undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const KEY = '"usage';
/** Usage with every detail a provider adds is under 2 KB, and little follows it. */
const TAIL = 16_384;
/** Room for the white space of an indented body. */
const LOOK_AHEAD = 64;
