// The way from a message down to where a walk is, so that no shape keeps it busy: not depth, not cycles, not sheer number.

export class Trail {
  readonly #path: unknown[] = [];
  #left = MAX_NODES;

  /** Whether to look into `value`; if so, {@link leave} it afterwards. */
  enter(value: unknown): boolean {
    if (this.#path.length >= MAX_DEPTH || this.#left <= 0 || this.#path.includes(value)) return false;
    this.#left--;
    this.#path.push(value);
    return true;
  }

  leave(): void {
    this.#path.pop();
  }
}

/** Deeper than any real message, shallow enough for every stack. */
const MAX_DEPTH = 32;
/** Objects and lists in one message: more than fit any window, and an end to objects that share their parts over and over. */
const MAX_NODES = 250_000;
