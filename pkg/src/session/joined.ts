// Texts on their way into the core: one string with offsets.

export interface Joined {
  readonly joined: string;
  /** UTF-16 offsets of each text's beginning, and the end. */
  readonly offsets: Uint32Array;
}

export function joinedOf(texts: readonly string[]): Joined {
  const offsets = new Uint32Array(texts.length + 1);
  texts.forEach((text, i) => (offsets[i + 1] = (offsets[i] ?? 0) + text.length));
  return { joined: texts.join(''), offsets };
}

/** Half a character would join with the next text's first half, and the offset between them would be none. */
export const LONE_SURROGATE = /\p{Surrogate}/gu;
