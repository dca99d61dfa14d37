// Numbers that a printed seed brings back.

/** The seed that SEED names, or a new one. */
export function seed() {
  return Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32)) >>> 0;
}

/** Whole numbers from 0 up to `below`, one per call (mulberry32). */
export function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
