// A progress bar on standard error, for long files at a terminal. Nothing else is ever written there while it stands.

export interface ProgressStream {
  isTTY?: boolean;
  write(text: string): unknown;
}

export class Progress {
  readonly #stream: ProgressStream;
  readonly #total: number;
  readonly #clock: () => number;
  readonly #started: number;
  #drawn = 0;
  #shown = '';

  /** `total` is the file's size in bytes. `clock` gives milliseconds; only drawing depends on it. */
  constructor(stream: ProgressStream, total: number, clock: () => number) {
    this.#stream = stream;
    this.#total = total;
    this.#clock = clock;
    this.#started = clock();
  }

  at(bytes: number): void {
    if (this.#stream.isTTY !== true || this.#total === 0) return;
    const now = this.#clock();
    if (now - this.#started < PATIENCE_MS || now - this.#drawn < REDRAW_MS) return;
    this.#drawn = now;
    const done = Math.min(1, bytes / this.#total);
    const filled = Math.round(done * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    this.#shown = `  ${bar} ${Math.floor(done * 100).toString().padStart(3)} % of ${megabytes(this.#total)}`;
    this.#stream.write(`\r${this.#shown}`);
  }

  /** Takes the bar away, before anything else is printed. */
  clear(): void {
    if (this.#shown === '') return;
    this.#stream.write(`\r${' '.repeat(this.#shown.length)}\r`);
    this.#shown = '';
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Shorter replays are over before a bar would be read. */
const PATIENCE_MS = 400;
const REDRAW_MS = 80;
const WIDTH = 30;
