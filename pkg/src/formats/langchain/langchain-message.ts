// LangChain's messages in all their forms: instances, `{ type, content }`, `{ role, content }`, pairs, strings, and the
// two stored forms `{ lc, id, kwargs }` and `{ type, data }`.

import { fieldsAt, isFields, textAt, type Fields } from '../shape/json.js';

export interface LangChainFields {
  /** `human`, `ai`, `system`, `tool`, `function`, `remove`, or what else the message says it is. */
  readonly type: string;
  /** Content, calls, ids. */
  readonly body: Fields;
}

export function langChainMessage(message: unknown): LangChainFields {
  if (typeof message === 'string') return { type: 'human', body: { content: message } };
  if (!isFields(message)) return { type: '', body: {} };
  if (Array.isArray(message)) return { type: named(message[0]), body: { content: message[1] } };
  const stored = storedKey(message);
  const body = (stored && fieldsAt(message, stored)) ?? message;
  const name = stored === 'kwargs' ? className(message) : (message.type ?? ownType(message) ?? message.role);
  const type = named(name);
  return { type: type === 'generic' ? named(body.role) : type, body };
}

/** The message with its fields as `edit` makes them, in the form it had; the same object where nothing changes. */
export function withFields<M>(message: M, edit: (body: Fields) => Fields): M;
export function withFields(message: unknown, edit: (body: Fields) => Fields): unknown {
  const { body } = langChainMessage(message);
  const next = edit(body);
  if (next === body) return message;
  if (typeof message === 'string') return next.content;
  if (Array.isArray(message)) return [message[0], next.content];
  if (!isFields(message)) return message;
  const stored = storedKey(message);
  return stored ? { ...message, [stored]: next } : likeOriginal(message, next);
}

/** An instance stays one. It keeps a copy of what it was made from, and is stored from that. */
function likeOriginal(original: Fields, fields: Fields): Fields {
  const kept = fieldsAt(fields, 'lc_kwargs');
  const kwargs = kept && { lc_kwargs: { ...kept, ...Object.fromEntries(EDITED.filter((key) => key in kept).map((key) => [key, fields[key]])) } };
  return Object.assign(Object.create(Object.getPrototypeOf(original)), fields, kwargs);
}

function storedKey(message: Fields): 'kwargs' | 'data' | undefined {
  if (isFields(message.kwargs) && Array.isArray(message.id)) return 'kwargs';
  return isFields(message.data) && typeof message.type === 'string' && message.content === undefined ? 'data' : undefined;
}

function className(message: Fields): unknown {
  return Array.isArray(message.id) ? message.id.at(-1) : undefined;
}

/** What an instance of earlier versions says when asked. */
function ownType(message: Fields): unknown {
  for (const key of ['getType', '_getType']) {
    const ask = message[key];
    if (typeof ask !== 'function') continue;
    try {
      const type: unknown = ask.call(message);
      return type;
    } catch {
      // It is not what it looks like.
    }
  }
  return undefined;
}

/** `AIMessageChunk` and `assistant` are `ai`. */
function named(name: unknown): string {
  if (typeof name !== 'string') return '';
  const short = name.replace(/Message(?:Chunk)?$/, '').toLowerCase();
  return TYPES.get(short) ?? short;
}

/** Whether LangChain's own summary stands in the message. */
export function isLangChainSummary(body: Fields): boolean {
  return textAt(fieldsAt(body, 'additional_kwargs'), 'lc_source') === SUMMARY_SOURCE;
}

/** How LangChain's middleware marks the summaries it writes. */
export const SUMMARY_SOURCE = 'summarization';
const EDITED = ['content', 'tool_calls', 'additional_kwargs'];
const TYPES: ReadonlyMap<string, string> = new Map([
  ['user', 'human'],
  ['assistant', 'ai'],
  ['developer', 'system'],
  ['chat', 'generic'],
]);
