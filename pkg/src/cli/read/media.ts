// What a recording keeps inline that is no text: pictures, files, and encodings of such in the middle of a text.

import { withoutBlobs } from '../../formats/shape/blob.js';
import { isFields } from '../json.js';

/** Characters of the encoded data in a part or a list of parts: every long string that is base64, wherever it lies. */
export function mediaBytes(value: unknown): number {
  let bytes = 0;
  const waiting: [value: unknown, depth: number][] = [[value, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [inner, depth] = next;
    if (typeof inner === 'string') bytes += encoded(inner);
    else if (depth < MAX_DEPTH && Array.isArray(inner)) for (const one of inner) waiting.push([one, depth + 1]);
    else if (depth < MAX_DEPTH && isFields(inner)) for (const one of Object.values(inner)) waiting.push([one, depth + 1]);
  }
  return bytes;
}

/** Characters of a text that are encoded data, as the package's readers take such out of one. */
export function blobBytes(text: string): number {
  const bytes = encoded(text);
  return bytes > 0 && withoutBlobs(text) === text ? 0 : bytes;
}

/** Characters that stand in runs as only encoded data has them. Linear: the text may be a whole file. */
function encoded(text: string): number {
  if (text.length < RUN) return 0;
  let bytes = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (at < text.length && ENCODING[text.charCodeAt(at)] === true) continue;
    if (at - from >= RUN) bytes += at - from;
    from = at + 1;
  }
  return bytes;
}

/** Words, paths and hashes are shorter; the smallest pictures that clients inline are longer. */
const RUN = 512;
/** The alphabets of base64 and base64url, by character code. */
const ENCODING: readonly boolean[] = Array.from({ length: 128 }, (_, code) => /[A-Za-z0-9+/_=-]/.test(String.fromCharCode(code)));
/** A picture lies at most a few levels below its part. */
const MAX_DEPTH = 8;
