// LangChain and LangGraph messages, as instances and in every stored form.

import { isLangChainSummary, langChainMessage, SUMMARY_SOURCE, withFields } from './langchain-message.js';
import { describeBlock, isLangChainMedia, isSealed } from './langchain-blocks.js';
import { readLangChainReply, readLangChainUsage } from './langchain-result.js';
import { fieldsAt, isFields, textAt, type Fields } from '../shape/json.js';
import { lateResultText } from '../shape/made.js';
import type { Pieces } from '../shape/pieces.js';
import { Flag, Role } from '../reader.js';
import { capped, replaced, withoutMedia, type Rules } from '../shape/rewrite.js';
import { readerOf } from '../shape/reader-of.js';

/** A message, by structure: an instance, or what LangChain makes one of. */
export type LangChainMessage = { content: unknown } | { lc: number; kwargs: object } | { type: string; data: object };

const rules: Rules = {
  texts: new Set(['content', 'text', 'reasoning']),
  data: new Set(['args', 'arguments', 'input']),
  media: isLangChainMedia,
  placeholder: (text) => ({ type: 'text', text }),
  sealed: isSealed,
  result: (part) => (part.type === 'tool_result' ? 'content' : undefined),
};

/**
 * LangChain messages. Made messages are `{ role, content }`, which LangChain takes wherever it takes messages. The
 * summary is a human message marked as LangChain marks its own: several providers take system messages only in front.
 */
export const langchain = /* @__PURE__ */ readerOf<LangChainMessage>({
  name: 'langchain',
  describe,
  rules,
  id: (message) => textAt(langChainMessage(message).body, 'id') || undefined,
  summaryMessage: (content) => made('user', content, { additional_kwargs: { lc_source: SUMMARY_SOURCE } }),
  lateResult: (text) => made('user', lateResultText(text)),
  requestMessages: (system, request) => [made('system', system), made('user', request)],
  instruction: (text) => made('user', text),
  replaced: (message, text) => (isResult(message) ? withFields(message, (body) => ({ ...body, content: text })) : withFields(message, (body) => replaced(body, text, rules))),
  capped: (message, bytes) => withFields(message, (body) => capped(body, bytes, rules)),
  withoutMedia: (message) => withFields(message, (body) => withoutMedia(body, rules)),
  closing: (calls, text) => calls.map((id) => made('tool', text, { tool_call_id: id, status: 'error' })),
  usage: readLangChainUsage,
  reply: readLangChainReply,
});

function made(role: string, content: string, more: object = {}): LangChainMessage {
  const message = { role, content, ...more };
  return message;
}

function describe(message: unknown, to: Pieces): void {
  const { type, body } = langChainMessage(message);
  if (type === 'remove') return;
  const role = ROLES.get(type) ?? Role.assistant;
  to.role(role);
  if (isLangChainSummary(body)) to.flag(Flag.hostSummary);
  const calls = callsOf(body);
  describeContent(body.content, to, calls.length > 0);
  for (const call of calls) describeCall(call, to);
  if (role === Role.tool) to.answer(textAt(body, 'tool_call_id') ?? textAt(body, 'name'));
}

function describeContent(content: unknown, to: Pieces, callsKnown: boolean): void {
  if (typeof content === 'string') return to.text(content);
  if (!Array.isArray(content)) return;
  for (const block of content) describeBlock(block, to, callsKnown);
}

/** Calls as LangChain parsed them; else as the provider wrote them. */
function callsOf(body: Fields): readonly unknown[] {
  if (Array.isArray(body.tool_calls) && body.tool_calls.length > 0) return body.tool_calls;
  const written = fieldsAt(body, 'additional_kwargs');
  if (Array.isArray(written?.tool_calls)) return written.tool_calls;
  return isFields(written?.function_call) ? [{ id: written.function_call.name, function: written.function_call }] : [];
}

function describeCall(call: unknown, to: Pieces): void {
  const target = fieldsAt(call, 'function') ?? call;
  to.call(textAt(call, 'id'), textAt(target, 'name'), isFields(target) ? (target.args ?? target.arguments) : undefined);
}

function isResult(message: unknown): boolean {
  return ROLES.get(langChainMessage(message).type) === Role.tool;
}

const ROLES: ReadonlyMap<string, number> = new Map([
  ['system', Role.system],
  ['human', Role.user],
  ['ai', Role.assistant],
  ['tool', Role.tool],
  ['function', Role.tool],
]);
