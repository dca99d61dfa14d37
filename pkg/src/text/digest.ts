// One pass over a message's text: how many UTF-8 bytes it has, and a fingerprint that other runs can compare with.
// Two lanes of 32 bits over the UTF-8 bytes, four at a step. `encodeInto` makes the bytes because it is several times
// faster than a loop over `charCodeAt` as short as that can be; ids and keys are too short to repay the call, and are
// read by character. Records keep fingerprints: a change here makes every stored summary lose its place, and the golden
// tests fail.

/** Accumulates the byte count and the fingerprint of a sequence of texts and marks. */
export class Digest {
  #high = HIGH_START;
  #low = LOW_START;
  #bytes = 0;

  get hi(): number {
    return finished(this.#high + this.#low);
  }

  /** Depends on both lanes as `hi` does, and no two states share both. */
  get lo(): number {
    return finished(this.#low + this.hi);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Separates what follows from what came before; no text can look like a mark, since no text is that long. */
  mark(tag: number): void {
    this.#mix(FIRST_MARK + tag);
  }

  /** Counts and fingerprints `text`. */
  text(text: string): void {
    this.#bytes += this.#whole(text);
  }

  /** Fingerprints `data` by its ends and its length, and counts nothing: encoded media is not text. */
  opaque(data: string): void {
    this.#mix(data.length);
    this.#whole(data.slice(0, OPAQUE_END));
    this.#whole(data.slice(Math.max(OPAQUE_END, data.length - OPAQUE_END)));
  }

  /** Fingerprints a number, a boolean or null. */
  scalar(value: unknown): void {
    this.text(String(value));
  }

  /** The length goes first, so that no two sequences of texts read alike; what it returns is the number of bytes. */
  #whole(text: string): number {
    this.#mix(text.length);
    if (text.length < SHORT) return this.#short(text);
    let bytes = 0;
    for (let from = 0, to = 0; from < text.length; from = to) {
      to = endOfPart(text, from);
      bytes += this.#part(to - from < text.length ? text.slice(from, to) : text);
    }
    return bytes;
  }

  #short(text: string): number {
    let bytes = text.length;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0x7f) bytes += extraBytes(unit);
      this.#mix(unit);
    }
    return bytes;
  }

  /**
   * At most `PART` characters. All that the loop touches is local: fields would be written at every step, and what stands at the top of a
   * module is a variable after bundling, looked up at every step.
   */
  #part(text: string): number {
    const { written } = ENCODER.encodeInto(text, BYTES);
    BYTES.fill(0, written, written + WORD_BYTES);
    const words = WORDS;
    const step = 4;
    let high = this.#high;
    let low = this.#low;
    for (let at = 0; at < written; at += step) {
      const word = words.getInt32(at, true);
      high = highStep(high, word);
      low = lowStep(low, word);
    }
    this.#high = high;
    this.#low = low;
    return written;
  }

  #mix(word: number): void {
    this.#high = highStep(this.#high, word);
    this.#low = lowStep(this.#low, word);
  }
}

/** Where the part that begins at `from` ends: never inside a surrogate pair, whose halves are no characters. */
export function endOfPart(text: string, from: number): number {
  const to = from + PART;
  if (to >= text.length) return text.length;
  return (text.charCodeAt(to - 1) & 0xfc00) === 0xd800 ? to - 1 : to;
}

/**
 * Reversible, so that two texts that differ in one word never meet; rotated, so that high bits reach the low ones. The factors are primes
 * of xxHash: odd, so that no bit is lost.
 */
function highStep(lane: number, word: number): number {
  const product = Math.imul(lane ^ word, 0x9e3779b1);
  return (product << 13) | (product >>> 19);
}

/** As {@link highStep}, with another factor and rotation: what cancels in one lane does not in the other. */
function lowStep(lane: number, word: number): number {
  const product = Math.imul(lane ^ word, 0x85ebca77);
  return (product << 19) | (product >>> 13);
}

/** The finaliser of MurmurHash3, public domain: each bit of `word` changes about half of the result. */
function finished(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** What a code unit above ASCII adds to one byte. The halves of a surrogate pair are two bytes each. */
function extraBytes(unit: number): number {
  return unit > 0x7ff && (unit & 0xf800) !== 0xd800 ? 2 : 1;
}

/** Any start but 0 serves, which steps over zeros would leave as it is: the first digits of pi. */
const HIGH_START = 0x243f6a88;
const LOW_START = 0x85a308d3 | 0;
/** Above every length of a text, which is below 2^30 in all engines. */
const FIRST_MARK = 0x7fff_0000;
const WORD_BYTES = 4;
/** Characters from which `encodeInto` is the faster way, as measured in Node. */
const SHORT = 48;
/** Characters encoded at a time: nearly every message in one part, and no memory that grows with a text. */
const PART = 16_384;
/** A code unit has at most three bytes; the last word may reach beyond them. */
const BYTES = /* @__PURE__ */ new Uint8Array(3 * PART + WORD_BYTES);
/** Little-endian on every machine, for records that move to another. */
const WORDS = /* @__PURE__ */ new DataView(BYTES.buffer);
const ENCODER = /* @__PURE__ */ new TextEncoder();
/** Encoded media that differs does so in its first or last 2,048 characters, or in its length. */
const OPAQUE_END = 2_048;
