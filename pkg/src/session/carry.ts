// What the host owns and wants to stand behind the summary word for word: asked for at a commit, never a fault of it.

import type { SessionOptions } from '../surface.js';

export type Carry = NonNullable<SessionOptions['carry']>;

/** The text that `carry` gives now; `failed` hears when it throws or gives something that is no text. */
export function textOf(carry: Carry | undefined, failed: () => void): string {
  try {
    const given: unknown = carry?.() ?? [];
    const texts: readonly unknown[] = Array.isArray(given) ? given : [given];
    if (texts.every(isText)) return texts.join('\n\n');
  } catch {
    // What it threw is the host's to know; that it threw is told as an event.
  }
  failed();
  return '';
}

function isText(text: unknown): text is string {
  return typeof text === 'string';
}
