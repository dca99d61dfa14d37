// Rows of a label and a text that is wrapped beside it: what replay and doctor print for people.

import type { Style } from './style.js';
import { wrapped } from './words.js';

export interface Terminal {
  columns: number;
  style: Style;
  write(text: string): void;
}

export class Table {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get style(): Style {
    return this.#terminal.style;
  }

  heading(text: string): void {
    this.line(this.style.strong(text));
  }

  row(label: string, text: string, tone: keyof Style = 'faint'): void {
    const [first = '', ...others] = wrapped(text, this.#terminal.columns - TEXT_COLUMN);
    this.line(`  ${this.style[tone](label)}${' '.repeat(Math.max(1, TEXT_COLUMN - 2 - label.length))}${first}`);
    for (const other of others) this.line(' '.repeat(TEXT_COLUMN) + other);
  }

  line(text: string): void {
    this.#terminal.write(`${text}\n`);
  }
}

const TEXT_COLUMN = 17;
