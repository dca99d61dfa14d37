// A host's own tokenizer in the place of the estimate: for what triggers and what is cut alike, since both read the same numbers.

import type { TextCount } from '../formats/reader.js';

/**
 * Counts by `countTokens`. Tokenizers take quadratic time on long runs: of a longer text than `LONGEST` it is given the beginning, and the
 * rest is estimated in the same proportion. Where it throws or gives no count, `estimate` stands in.
 */
export function countedBy(countTokens: (text: string) => number, estimate: TextCount): TextCount {
  const counted = (text: string): number => {
    try {
      const tokens = countTokens(text);
      return Number.isFinite(tokens) && tokens >= 0 ? tokens : estimate(text);
    } catch {
      return estimate(text);
    }
  };
  return (text) => {
    if (text.length <= LONGEST) return counted(text);
    const begin = text.slice(0, LONGEST);
    return (counted(begin) * estimate(text)) / estimate(begin);
  };
}

/** Characters: at the exponent of two that slow tokenizers have, 20 ms instead of seconds. */
const LONGEST = 8_192;
