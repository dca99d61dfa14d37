// One pass over a message's text: how many UTF-8 bytes it has, and a fingerprint that other runs can compare with.
// FNV-1a with 64 bits, over UTF-16 code units instead of bytes, so that nothing is allocated. Records keep fingerprints:
// a change here makes every stored summary lose its place, and the golden test fails.

/** Accumulates the byte count and the fingerprint of a sequence of texts and marks. */
export class Digest {
  #hi = OFFSET_HI;
  #lo = OFFSET_LO;
  #bytes = 0;

  get hi(): number {
    return this.#hi >>> 0;
  }

  get lo(): number {
    return this.#lo >>> 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Separates what follows from what came before; no text can look like a mark. */
  mark(tag: number): void {
    this.#mix(FIRST_MARK + tag);
  }

  /** Counts and fingerprints `text`. */
  text(text: string): void {
    this.#bytes += this.#fingerprint(text, 0, text.length);
  }

  /** Fingerprints `data` by its ends and its length, and counts nothing: encoded media is not text. */
  opaque(data: string): void {
    this.#mix(data.length);
    this.#fingerprint(data, 0, Math.min(data.length, OPAQUE_END));
    this.#fingerprint(data, Math.max(OPAQUE_END, data.length - OPAQUE_END), data.length);
  }

  /** Fingerprints a number, a boolean or null. */
  scalar(value: unknown): void {
    this.text(String(value));
  }

  #mix(unit: number): void {
    const lo = this.#lo ^ unit;
    const low = (lo & 0xffff) * PRIME_LOW;
    const high = (lo >>> 16) * PRIME_LOW + (low >>> 16);
    this.#hi = (Math.imul(this.#hi, PRIME_LOW) + (high >>> 16) + (lo << 8)) | 0;
    this.#lo = (high << 16) | (low & 0xffff);
  }

  /** The loop of `#mix` with its state in locals: three times as fast on long texts. */
  #fingerprint(text: string, from: number, to: number): number {
    let hi = this.#hi;
    let state = this.#lo;
    let bytes = to > from ? to - from : 0;
    for (let i = from; i < to; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0x7f) bytes += extraBytes(unit);
      const lo = state ^ unit;
      const low = (lo & 0xffff) * PRIME_LOW;
      const high = (lo >>> 16) * PRIME_LOW + (low >>> 16);
      hi = (Math.imul(hi, PRIME_LOW) + (high >>> 16) + (lo << 8)) | 0;
      state = (high << 16) | (low & 0xffff);
    }
    this.#hi = hi;
    this.#lo = state;
    return bytes;
  }
}

/** What a code unit above ASCII adds to one byte. The halves of a surrogate pair are two bytes each. */
function extraBytes(unit: number): number {
  return unit > 0x7ff && (unit & 0xf800) !== 0xd800 ? 2 : 1;
}

/** The 64-bit offset basis and prime (2^40 + 435) of FNV. */
const OFFSET_HI = 0xcbf29ce4 | 0;
const OFFSET_LO = 0x84222325 | 0;
const PRIME_LOW = 435;
/** Above every code unit. */
const FIRST_MARK = 0x10000;
/** Encoded media that differs does so in its first or last 2,048 characters, or in its length. */
const OPAQUE_END = 2_048;
