// The pieces of a message as the text that a summariser is shown. Never base64.

import { withoutBlobs } from './blob.js';
import { jsonOf } from './json.js';
import type { Pieces } from './pieces.js';

export class Render implements Pieces {
  readonly #lines: string[] = [];

  /** One piece per line. */
  toString(): string {
    return this.#lines.join('\n');
  }

  text(text: string): void {
    if (text !== '') this.#lines.push(withoutBlobs(text));
  }

  call(_id: string | undefined, name: unknown, input: unknown): void {
    this.closedCall(name, input);
  }

  closedCall(name: unknown, input: unknown): void {
    this.text(`${typeof name === 'string' ? name : 'tool'}(${typeof input === 'string' ? input : jsonOf(input ?? {})})`);
  }

  media(kind: string): void {
    this.#lines.push(`[${kind}]`);
  }

  value(value: unknown, kind?: string): void {
    if (kind !== undefined) this.media(kind);
    else this.text(typeof value === 'string' ? value : jsonOf(value));
  }

  sealed(kind: string): void {
    this.media(kind);
  }

  reasoning(): void {}
  role(): void {}
  become(): void {}
  answer(): void {}
  flag(): void {}
}
