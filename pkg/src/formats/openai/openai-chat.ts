// OpenAI chat messages, and what their compatible servers make of them. Field paths only.

import type { ChatMessage } from '../../surface.js';
import { isFields, textAt, type Fields } from '../shape/json.js';
import { lateResultText } from '../shape/made.js';
import type { Pieces } from '../shape/pieces.js';
import { Role } from '../reader.js';
import type { Rules } from '../shape/rewrite.js';
import { readerOf, type FormatReader } from '../shape/reader-of.js';

const rules: Rules = {
  texts: new Set(['content', 'text', 'refusal']),
  data: new Set(['arguments', 'input']),
  media: (part) => (MEDIA.has(part.type) ? kindOf(part) : undefined),
  placeholder: (text) => ({ type: 'text', text }),
  sealed: (part) => part.type === 'thinking' || part.type === 'redacted_thinking',
  result: (part) => (part.type === 'tool_result' || roleOf(part.role) === Role.tool ? 'content' : undefined),
};

/** OpenAI chat messages: the shape of most servers and client libraries. */
export const openaiChat: FormatReader<ChatMessage> = /* @__PURE__ */ readerOf<ChatMessage>({
  name: 'openai_chat',
  describe,
  rules,
  summaryMessage: (content) => ({ role: 'system', content }),
  lateResult: (text) => ({ role: 'user', content: lateResultText(text) }),
  requestMessages: (system, user) => [{ role: 'system', content: system }, { role: 'user', content: user }],
  instruction: (content) => ({ role: 'user', content }),
  closing: (calls, text) => calls.map((id) => closingOf(id, text)),
});

/** The same for a host with a type of its own for these messages; nothing of it is read that is not checked. */
export function openAiChat<M>(): FormatReader<M>;
export function openAiChat(): FormatReader<ChatMessage> {
  return openaiChat;
}

function describe(message: unknown, to: Pieces): void {
  if (typeof message === 'string') return to.text(message);
  if (!isFields(message)) return;
  const role = roleOf(message.role);
  to.role(role);
  describeContent(message.content, to, 0);
  describeCalls(message, to);
  if (role === Role.tool) to.answer(textAt(message, 'tool_call_id') ?? legacyId(textAt(message, 'name')));
}

function describeContent(content: unknown, to: Pieces, depth: number): void {
  if (typeof content === 'string') to.text(content);
  else if (Array.isArray(content) && depth < MOST_LISTS) for (const part of content) describePart(part, to, depth);
  else if (content !== null && content !== undefined) to.value(content);
}

function describePart(part: unknown, to: Pieces, depth: number): void {
  if (!isFields(part)) return describeContent(part, to, depth + 1);
  const text = part.text ?? part.refusal;
  if (typeof text === 'string') to.text(text);
  else if (part.type === 'image_url') to.media('image', part.image_url, priceOf(part.image_url));
  else if (MEDIA.has(part.type)) to.media(kindOf(part), part, priceOf(part));
  else if (part.type === 'tool_use') to.call(textAt(part, 'id'), part.name, part.input);
  else if (part.type === 'tool_result') describeNestedResult(part, to, depth);
  else to.value(part, typeof part.type === 'string' ? part.type : 'data');
}

/** Servers in front of Anthropic models pass its blocks through: results come in a user message there. */
function describeNestedResult(part: Fields, to: Pieces, depth: number): void {
  to.become(Role.tool);
  to.answer(textAt(part, 'tool_use_id'));
  describeContent(part.content, to, depth + 1);
}

function describeCalls(message: Fields, to: Pieces): void {
  if (Array.isArray(message.tool_calls)) {
    for (const call of message.tool_calls) {
      const target = isFields(call) ? (call.function ?? call.custom) : undefined;
      const input = isFields(target) ? (target.arguments ?? target.input) : undefined;
      to.call(textAt(call, 'id'), textAt(target, 'name'), input);
    }
  }
  const legacy = message.function_call;
  if (isFields(legacy)) to.call(legacyId(textAt(legacy, 'name')), legacy.name, legacy.arguments);
}

function roleOf(role: unknown): number {
  switch (role) {
    case 'system':
    case 'developer':
      return Role.system;
    case 'user':
      return Role.user;
    case 'tool':
    case 'function':
      return Role.tool;
    default:
      return Role.assistant;
  }
}

function kindOf(part: Fields): string {
  return String(part.type).replace(/_url$|^input_/, '');
}

/** `undefined`: what any image costs. */
function priceOf(source: unknown): number | undefined {
  return textAt(source, 'detail') === 'low' ? LOW_DETAIL_TOKENS : undefined;
}

/** Calls from before there were ids are tied to their result by the function's name. */
function legacyId(name: string | undefined): string | undefined {
  return name === undefined ? undefined : LEGACY + name;
}

function closingOf(id: string, content: string): ChatMessage & { name?: string } {
  return id.startsWith(LEGACY) ? { role: 'function', name: id.slice(LEGACY.length), content } : { role: 'tool', tool_call_id: id, content };
}

const LEGACY = 'function ';
const MEDIA: ReadonlySet<unknown> = new Set(['image_url', 'image', 'input_audio', 'file', 'document']);
/** Lists within lists: a result in a message holds one. What lies deeper is read as any other value. */
const MOST_LISTS = 2;
/** What OpenAI charges for an image in low detail. */
const LOW_DETAIL_TOKENS = 85;
