// The time of a recording. It never runs backwards, and goes on by itself where nothing was recorded.

export class Clock {
  #now = UNTIMED_START;
  #timed = false;

  /** Epoch milliseconds, to hand to the governor. */
  get now(): number {
    return this.#now;
  }

  /** The same for a person or a program: null where the recording has no times. */
  get shown(): number | null {
    return this.#timed ? this.#now : null;
  }

  /** Whether some time was recorded. */
  get timed(): boolean {
    return this.#timed;
  }

  /** Moves to a recorded time. Earlier ones than the newest are out of order and change nothing. */
  reach(at: number | undefined): void {
    if (at === undefined) return;
    this.#now = this.#timed ? Math.max(this.#now, at) : at;
    this.#timed = true;
  }

  /** A model call was made; without recorded times that is all there is to go by. */
  tick(): void {
    if (!this.#timed) this.#now += STEP_MS;
  }
}

/** What one model call is taken to last where the recording has no times. */
export const STEP_MS = 30_000;
/** Any instant will do, so long as each replay has the same: 1 January 2000. */
const UNTIMED_START = 946_684_800_000;
