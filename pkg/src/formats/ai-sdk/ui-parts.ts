// What the parts of a UI message say. A part that the model is not shown (data, sources, the marks of steps) says nothing.

import { describeFile, describeReasoning, kindOfFile } from './media.js';
import { describeOutput } from './output.js';
import { callOf, tanStackIds, type UiCall } from './ui-calls.js';
import { isFields, textAt, type Fields } from '../shape/json.js';
import type { Pieces } from '../shape/pieces.js';
import { Flag, Role } from '../reader.js';

export function describeUi(message: unknown, to: Pieces): void {
  if (!isFields(message)) return typeof message === 'string' ? to.text(message) : undefined;
  to.role(roleOf(message.role));
  // Version 4 had the text beside the parts as well.
  if (!Array.isArray(message.parts)) return typeof message.content === 'string' ? to.text(message.content) : undefined;
  new Parts(message.parts, to).describe(message.parts);
}

/** The kind of media that `part` is. */
export function isUiFile(part: Fields): string | undefined {
  return isFile(part) ? kindOfFile(part) : undefined;
}

/** A text part as the same library writes it. */
export function placeholderFor(text: string, part: Fields): Fields {
  return 'source' in part ? { type: 'text', content: text } : { type: 'text', text };
}

class Parts {
  readonly #to: Pieces;
  readonly #ids: ReturnType<typeof tanStackIds>;
  #closed = false;
  #open = false;

  constructor(parts: readonly unknown[], to: Pieces) {
    this.#to = to;
    this.#ids = tanStackIds(parts);
  }

  describe(parts: readonly unknown[]): void {
    for (const part of parts) if (isFields(part)) this.#part(part);
    // Its results can be replaced, and nothing waits for it.
    if (this.#closed && !this.#open) this.#to.flag(Flag.call | Flag.result);
  }

  #part(part: Fields): void {
    const call = callOf(part, this.#ids.results);
    if (call) return this.#call(call);
    if (isFile(part)) return describeFile(part, this.#to);
    switch (part.type) {
      case 'text':
        return this.#text(part.text ?? part.content);
      case 'reasoning':
      case 'thinking':
        return describeReasoning(part, part.text ?? part.content, this.#to);
      case 'structured-output':
        return this.#text(part.raw);
      case 'steering-message':
        return Array.isArray(part.parts) ? part.parts.forEach((inner) => isFields(inner) && inner.type !== part.type && this.#part(inner)) : undefined;
      case 'tool-result':
        return this.#result(part);
      case 'custom':
        return this.#to.sealed(textAt(part, 'kind') ?? 'custom', part.providerMetadata);
    }
  }

  #text(text: unknown): void {
    if (typeof text === 'string') this.#to.text(text);
  }

  #call({ id, name, input, open, output }: UiCall): void {
    if (open) {
      this.#open = true;
      return this.#to.call(id, name, input);
    }
    this.#closed = true;
    this.#to.closedCall(name, input);
    if (output !== undefined) describeOutput(output, this.#to);
  }

  /** TanStack's: beside its call, or in a message of its own. */
  #result(part: Fields): void {
    const id = textAt(part, 'toolCallId') ?? '';
    if (!this.#ids.calls.has(id)) this.#to.answer(id);
    describeOutput(part.content, this.#to);
  }
}

function isFile(part: Fields): boolean {
  const ofAiSdk = (part.type === 'file' || part.type === 'reasoning-file') && typeof part.mediaType === 'string';
  return ofAiSdk || (TANSTACK_MEDIA.has(part.type) && isFields(part.source));
}

function roleOf(role: unknown): number {
  if (role === 'system') return Role.system;
  return role === 'user' ? Role.user : Role.assistant;
}

const TANSTACK_MEDIA: ReadonlySet<unknown> = new Set(['image', 'audio', 'video', 'document']);
