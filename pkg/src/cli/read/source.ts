// A file as records: JSONL line by line, or one JSON document.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/** One line of a file. `text` is undefined where the line is too long to be held as one string. */
export interface Line {
  number: number;
  text: string | undefined;
  /** Bytes of the file up to and including this line. */
  offset: number;
  /** Whether a \n ends it; the last line may lack it. */
  ended: boolean;
}

/**
 * Lines as JSONL means them: ended by \n only, a \r before it being white space to JSON. (node:readline also breaks at
 * U+2028, which JSON strings may hold.)
 * A byte order mark is dropped; bytes that are not UTF-8 become U+FFFD; the last line may lack its end.
 */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  let offset = 0;
  for await (const { number, parts, ended } of rawLinesOf(path)) {
    offset += parts.reduce((sum, part) => sum + part.length, ended ? 1 : 0);
    yield { number, text: decode(parts, number), offset, ended };
  }
}

/** One line as it stands in the file, in the pieces in which it was read. */
export interface RawLine {
  number: number;
  parts: readonly Buffer[];
  /** Whether a \n ends it; the last line may lack it. */
  ended: boolean;
}

export async function* rawLinesOf(path: string): AsyncGenerator<RawLine> {
  let held: Buffer[] = [];
  let number = 0;
  for await (const chunk of chunksOf(path)) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      held.push(chunk.subarray(from, end));
      number += 1;
      yield { number, parts: held, ended: true };
      held = [];
      from = end + 1;
    }
    if (from < chunk.length) held.push(chunk.subarray(from));
  }
  if (held.length > 0) yield { number: number + 1, parts: held, ended: false };
}

export async function sizeOf(path: string): Promise<number> {
  const about = await stat(path);
  if (about.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
  return about.size;
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    if (Buffer.isBuffer(chunk)) yield chunk;
  }
}

/** The text of a line; undefined where it is too long to be one string. */
export function decode(parts: readonly Buffer[], number: number): string | undefined {
  const [only] = parts;
  try {
    const whole = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
    const text = whole.toString('utf8');
    const from = number === 1 && text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
    return text.slice(from);
  } catch {
    return undefined;
  }
}

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = 0xfeff;
const CHUNK_BYTES = 256 * 1_024;
