// What a message is made of, whatever its format. A format tells the pieces once; reading them into numbers and writing
// them out as text both listen.

export interface Pieces {
  /** Who speaks, one of `Role`; told first. */
  role(role: number): void;
  /** Who speaks after all: results of tools that come in a user's message, say. */
  become(role: number): void;
  /** Text that the model sees. */
  text(text: string): void;
  /** A tool call whose result comes in another message. */
  call(id: string | undefined, name: unknown, input: unknown): void;
  /** A tool call whose result stands in the same message. */
  closedCall(name: unknown, input: unknown): void;
  /** The call that this message answers. */
  answer(id: string | undefined): void;
  /** An image, a file, a recording: `kind` names it, `source` tells it from others. */
  media(kind: string, source: unknown, tokens?: number): void;
  /** Any other JSON that the model sees; a `kind` stands for it in text. */
  value(value: unknown, kind?: string): void;
  /** What only the provider can read: never shown, never rewritten. */
  sealed(kind: string, value: unknown): void;
  /** The model's own thoughts: counted, never shown, and no part of the fingerprint, since hosts may drop them from older turns. */
  reasoning(value: unknown): void;
  /** Adds one of `Flag`. */
  flag(flag: number): void;
}
