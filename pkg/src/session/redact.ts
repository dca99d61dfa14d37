// A host's hook that takes secrets out of texts, on their way to a summariser and into the store.

export type Redact = (text: string) => string;

/** The text without its secrets. A hook that throws, or gives something that is no text, costs the text and not the pass. */
export function redacted(redact: Redact | undefined, text: string): string {
  if (redact === undefined || text === '') return text;
  try {
    const given: unknown = redact(text);
    if (typeof given === 'string') return given;
  } catch {
    // What it threw is the host's to know; sent is nothing that it did not pass.
  }
  return LEFT_OUT;
}

const LEFT_OUT = '[left out: it could not be checked for secrets]';
