// A host's hook that takes secrets out of texts, on their way to a summariser and into the store.

import { Timer } from './timer.js';

export type Redact = (text: string) => string | PromiseLike<string>;

/**
 * The texts without their secrets, in their order; undefined for one that the hook threw on, gave no text for, or was silent on for so long.
 * All are asked for at once, so that one that hangs costs itself alone.
 */
export function redacted(redact: Redact | undefined, texts: readonly string[]): Promise<readonly (string | undefined)[]> {
  if (redact === undefined) return Promise.resolve(texts);
  const passed: (string | undefined)[] = texts.map((text) => (text === '' ? text : undefined));
  let waiting = texts.length;
  return new Promise((resolve) => {
    const timer = new Timer();
    // A copy: what answers later than this has come too late.
    const end = (): void => (timer.clear(), resolve([...passed]));
    const heard = (): void => (--waiting > 0 ? timer.set(end, SILENCE_MS) : end());
    if (waiting === 0) end();
    else timer.set(end, SILENCE_MS);
    texts.forEach((text, i) => void (text === '' ? Promise.resolve(text) : asked(redact, text)).then((given) => (passed[i] = given)).then(heard));
  });
}

/** What it threw is the host's to know. */
async function asked(redact: Redact, text: string): Promise<string | undefined> {
  try {
    const given: unknown = await redact(text);
    return typeof given === 'string' ? given : undefined;
  } catch {
    return undefined;
  }
}

/** Stands for a text that could not be checked. */
export const LEFT_OUT = '[left out: it could not be checked for secrets]';
/** For how long a hook may answer for no text at all; a slice of many texts may take longer. */
const SILENCE_MS = 10_000;
