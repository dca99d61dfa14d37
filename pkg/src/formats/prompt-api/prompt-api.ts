// Messages of Chrome's Prompt API (`LanguageModel`).

import { isFields, type Fields } from '../shape/json.js';
import { lateResultText } from '../shape/made.js';
import type { Pieces } from '../shape/pieces.js';
import { readPromptApiOverflow, readPromptApiUsage } from './prompt-api-result.js';
import { Role } from '../reader.js';
import type { Rules } from '../shape/rewrite.js';
import { readerOf } from '../shape/reader-of.js';

/** A message, by structure. */
export interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  content: unknown;
}

const rules: Rules = {
  texts: new Set(['content', 'value']),
  data: new Set(),
  media: (part) => (isMedia(part) ? String(part.type) : undefined),
  placeholder: (value) => ({ type: 'text', value }),
  sealed: () => false,
  result: () => undefined,
};

/**
 * Messages of Chrome's Prompt API. A view becomes a new session: its last message is the prompt, the others are the
 * `initialPrompts`. Made messages are in the user's name, marked: a system message is taken only as the very first.
 */
export const promptApi = /* @__PURE__ */ readerOf<PromptMessage>({
  name: 'prompt_api',
  describe,
  rules,
  summaryMessage: user,
  lateResult: (text) => user(lateResultText(text)),
  requestMessages: (system, request) => [user(`${system}\n\n${request}`)],
  instruction: user,
  // Tools run inside the session: no message calls one.
  closing: () => [],
  usage: readPromptApiUsage,
  overflow: readPromptApiOverflow,
});

function user(content: string): PromptMessage {
  return { role: 'user', content };
}

function describe(message: unknown, to: Pieces): void {
  if (!isFields(message)) return typeof message === 'string' ? to.text(message) : undefined;
  to.role(roleOf(message.role));
  if (typeof message.content === 'string') to.text(message.content);
  else if (Array.isArray(message.content)) for (const part of message.content) describePart(part, to);
}

function describePart(part: unknown, to: Pieces): void {
  if (!isFields(part)) return typeof part === 'string' ? to.text(part) : undefined;
  if (isMedia(part)) to.media(String(part.type), traitsOf(part.value));
  else if (typeof part.value === 'string') to.text(part.value);
  else to.value(part, typeof part.type === 'string' ? part.type : 'data');
}

function isMedia(part: Fields): boolean {
  return part.type === 'image' || part.type === 'audio';
}

/** Bitmaps, blobs, buffers and elements of a page have no fields of their own: what they say of themselves tells them apart. */
function traitsOf(value: unknown): unknown {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (!isFields(value) || ArrayBuffer.isView(value)) return value;
  return TRAITS.map((trait) => value[trait]).filter((trait) => typeof trait === 'number' || typeof trait === 'string').map(String);
}

function roleOf(role: unknown): number {
  if (role === 'system') return Role.system;
  return role === 'user' ? Role.user : Role.assistant;
}

const TRAITS = ['width', 'height', 'size', 'type', 'duration', 'length', 'byteLength', 'src', 'currentSrc', 'displayWidth', 'timestamp'];
