// One timer at a time that never keeps a process alive.

export class Timer {
  #pending: ReturnType<typeof setTimeout> | undefined;

  /** Runs `run` in `ms`; replaces what was set before. Later than a timer can reach, it runs early and may set itself again. */
  set(run: () => void, ms: number): void {
    this.clear();
    this.#pending = setTimeout(run, Math.min(Math.max(0, ms), FARTHEST_MS));
    unref(this.#pending);
  }

  clear(): void {
    clearTimeout(this.#pending);
    this.#pending = undefined;
  }
}

/** Node's timers are objects that keep the process alive until told not to. */
function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') timer.unref();
}

/** Timers hold 31 bits of milliseconds; one that is set farther fires at once. */
const FARTHEST_MS = 2 ** 31 - 1;
