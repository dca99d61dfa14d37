// What the parts of a model message say.

import { describeFile, describeReasoning, kindOfFile } from './media.js';
import { approvalId, outcomeOf } from './model-results.js';
import { isFields, textAt, type Fields } from '../shape/json.js';
import type { Pieces } from '../shape/pieces.js';
import { Flag, Role } from '../reader.js';

export function describeModelMessage(message: unknown, to: Pieces): void {
  if (!isFields(message)) return typeof message === 'string' ? to.text(message) : undefined;
  to.role(roleOf(message.role));
  if (typeof message.content === 'string') to.text(message.content);
  else if (Array.isArray(message.content)) new Parts(message.content, to).describe(message.content);
}

/** The kind of media that `part` is; a result may hold parts of its own kinds. */
export function isModelFile(part: Fields): string | undefined {
  const isImage = part.type === 'image' && part.image !== undefined;
  const isFile = (part.type === 'file' || part.type === 'media') && typeof part.mediaType === 'string';
  return isImage || isFile || RESULT_FILES.has(part.type) ? kindOfFile(part) : undefined;
}

class Parts {
  readonly #to: Pieces;
  /** Calls that their provider answered in the same message. */
  readonly #answered = new Set<string>();
  readonly #called = new Set<string>();
  #open = false;

  constructor(parts: readonly unknown[], to: Pieces) {
    this.#to = to;
    for (const part of parts) {
      const id = textAt(part, 'toolCallId');
      const type = textAt(part, 'type');
      if (id !== undefined && type === 'tool-result') this.#answered.add(id);
      if (id !== undefined && type === 'tool-call') this.#called.add(id);
    }
  }

  describe(parts: readonly unknown[]): void {
    for (const part of parts) {
      if (isFields(part)) this.#part(part);
      else if (typeof part === 'string') this.#to.text(part);
    }
    const closed = [...this.#answered].some((id) => this.#called.has(id));
    if (closed && !this.#open) this.#to.flag(Flag.call | Flag.result);
  }

  #part(part: Fields): void {
    switch (part.type) {
      case 'text':
        return typeof part.text === 'string' ? this.#to.text(part.text) : undefined;
      case 'reasoning':
        return describeReasoning(part, part.text, this.#to);
      case 'tool-call':
        return this.#call(part);
      case 'tool-result':
        return this.#result(part);
      case 'tool-approval-request':
        return this.#opened(approvalId(part), 'approval_requested', undefined);
      case 'tool-approval-response':
        this.#to.answer(approvalId(part));
        return this.#to.value(part.approved === true ? 'approved' : `denied ${textAt(part, 'reason') ?? ''}`.trimEnd());
      case 'custom':
        return this.#to.sealed(textAt(part, 'kind') ?? 'custom', part.providerOptions);
      case 'image':
      case 'file':
      case 'reasoning-file':
        return describeFile(part, this.#to);
      default:
        this.#to.value(part, typeof part.type === 'string' ? part.type : 'data');
    }
  }

  #call(part: Fields): void {
    const id = textAt(part, 'toolCallId');
    if (id !== undefined && this.#answered.has(id)) this.#to.closedCall(part.toolName, part.input);
    else this.#opened(id, part.toolName, part.input);
  }

  #opened(id: string | undefined, name: unknown, input: unknown): void {
    this.#open = true;
    this.#to.call(id, name, input);
  }

  #result(part: Fields): void {
    const id = textAt(part, 'toolCallId');
    if (id === undefined || !this.#called.has(id)) this.#to.answer(id);
    const { value, parts } = outcomeOf(part.output);
    if (value !== undefined) this.#to.value(value);
    for (const inner of parts) {
      if (isFields(inner) && isModelFile(inner) !== undefined) describeFile(inner, this.#to);
      else this.#to.value(textAt(inner, 'text') ?? inner);
    }
  }
}

function roleOf(role: unknown): number {
  switch (role) {
    case 'system':
      return Role.system;
    case 'user':
      return Role.user;
    case 'tool':
      return Role.tool;
    default:
      return Role.assistant;
  }
}

const RESULT_FILES: ReadonlySet<unknown> = new Set(['file-data', 'file-url', 'file-id', 'file-reference', 'image-data', 'image-url', 'image-file-id', 'image-file-reference']);
