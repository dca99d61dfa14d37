// Encoded and minified data inside texts: worth nothing to a summariser, and dear to every prompt.

/** Whether `text` is mostly base64, hex or minified code: next to no white space, and hardly a character above ASCII. */
export function isBlob(text: string): boolean {
  if (text.length < BLOB_LENGTH) return false;
  let dense = 0;
  for (let window = 0; window < WINDOWS; window++) {
    const from = Math.floor(((text.length - SAMPLE) * window) / (WINDOWS - 1));
    if (isDense(text, from, from + SAMPLE)) dense++;
  }
  return dense * 2 > WINDOWS;
}

function isDense(text: string, from: number, to: number): boolean {
  let odd = 0;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (unit <= SPACE || unit > LAST_ASCII) odd++;
  }
  return odd * MOST_ODD < to - from;
}

/** `text` with each long run of base64 or hex replaced by `[data]`. Linear. */
export function withoutBlobs(text: string): string {
  if (text.length < RUN_LENGTH) return text;
  let out = '';
  let copied = 0;
  let from = 0;
  for (let i = 0; i <= text.length; i++) {
    if (i < text.length && isEncoding(text.charCodeAt(i))) continue;
    if (i - from >= RUN_LENGTH && isMixed(text, from)) {
      out += `${text.slice(copied, from)}[data]`;
      copied = i;
    }
    from = i + 1;
  }
  return copied === 0 ? text : out + text.slice(copied);
}

/** The alphabets of base64, base64url and hex. */
function isEncoding(unit: number): boolean {
  const letter = unit | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x2b || unit === 0x2f || unit === 0x3d || unit === 0x2d || unit === 0x5f;
}

/** A ruler of dashes or one letter held down is no data. */
function isMixed(text: string, from: number): boolean {
  const sample = text.slice(from, from + RUN_LENGTH);
  return /[0-9]/.test(sample) && /[a-z]/i.test(sample);
}

/** Shorter texts may be one identifier, one URL or one word of German. */
const BLOB_LENGTH = 2_048;
/** Characters looked at in each of so many windows, spread evenly. */
const SAMPLE = 512;
const WINDOWS = 5;
/** Prose has a space in six characters, code one in eight, minified code one in 30 to 100. */
const MOST_ODD = 25;
const SPACE = 0x20;
const LAST_ASCII = 0x7e;
/** Longer than any hash, key or signed URL parameter that a reader could need. */
const RUN_LENGTH = 512;
