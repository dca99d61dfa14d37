// OpenAI Responses items: messages, calls, their outputs, reasoning and compactions each stand for themselves. Field paths only.

import { isFields, textAt, type Fields } from '../shape/json.js';
import type { Pieces } from '../shape/pieces.js';
import { Flag, Role } from '../reader.js';
import type { ResponsesItem } from '../surface.js';
import { responsesReply, responsesUsage } from './responses-reply.js';
import { closedItem, mediaKind, responsesRules } from './responses-rules.js';
import { readerOf, type FormatReader } from '../shape/reader-of.js';

/** Items of the OpenAI Responses API, and of OpenAI's agents in JavaScript. */
export const openaiResponses: FormatReader<ResponsesItem> = /* @__PURE__ */ readerOf<ResponsesItem>({
  name: 'openai_responses',
  describe,
  rules: responsesRules,
  id: (item) => textAt(item, 'id'),
  summaryMessage: (text) => messageOf('developer', text),
  lateResult: (text) => messageOf('user', `[late result of a tool call that was summarised above]\n${text}`),
  requestMessages: (system, user) => [messageOf('developer', system), messageOf('user', user)],
  instruction: (text) => messageOf('user', text),
  closing: (calls, text) => calls.map((call) => closingOf(call, text)),
  usage: responsesUsage,
  reply: responsesReply,
});

function describe(item: unknown, to: Pieces): void {
  if (typeof item === 'string') return to.text(item);
  if (!isFields(item)) return;
  const type = textAt(item, 'type') ?? 'message';
  if (type === 'message') describeMessage(item, to);
  else if (CLOSED.has(type)) describeClosed(item, type, to);
  else if (type.endsWith('_call') || type === APPROVAL) describeCall(item, type, to);
  else if (type.endsWith('_output') || type.endsWith('_result') || type === 'mcp_approval_response') describeOutput(item, to);
  else describeOther(item, type, to);
}

function describeMessage(item: Fields, to: Pieces): void {
  to.role(roleOf(item.role));
  describeContent(item.content, to);
}

function describeContent(content: unknown, to: Pieces): void {
  if (typeof content === 'string') to.text(content);
  else if (Array.isArray(content)) for (const part of content) describePart(part, to);
  else if (content !== null && content !== undefined) describePart(content, to);
}

function describePart(part: unknown, to: Pieces): void {
  if (!isFields(part)) return typeof part === 'string' ? to.text(part) : undefined;
  const text = part.text ?? part.refusal;
  const kind = mediaKind(part);
  if (kind !== undefined) to.media(kind, sourceOf(part));
  else if (typeof text === 'string') to.text(text);
  else to.value(part, textAt(part, 'type'));
}

/** What the provider runs has its result in the same item. */
function describeClosed(item: Fields, type: string, to: Pieces): void {
  to.role(Role.assistant);
  to.closedCall(item.name ?? type.replace('_call', ''), inputOf(item));
  if (typeof item.result === 'string') to.media('image', item.result);
  for (const key of ['output', 'outputs', 'results', 'error']) describeContent(item[key], to);
}

/** An approval that is asked for is a call that waits for its answer. */
function describeCall(item: Fields, type: string, to: Pieces): void {
  to.role(Role.assistant);
  const id = callId(item) ?? (type === APPROVAL ? textAt(item, 'id') : undefined);
  const name = item.name ?? type.replace('_call', '');
  if (id === undefined) to.closedCall(name, inputOf(item));
  else to.call(type === 'function_call' ? id : `${type} ${id}`, name, inputOf(item));
}

function describeOutput(item: Fields, to: Pieces): void {
  to.role(Role.tool);
  const type = callOf(textAt(item, 'type') ?? '');
  const id = callId(item) ?? textAt(item, type === APPROVAL ? 'approval_request_id' : 'id');
  to.answer(id === undefined || type === 'function_call' ? id : `${type} ${id}`);
  if (item.output !== undefined) describeContent(item.output, to);
  else to.value(item.tools ?? item.approve ?? null, 'result');
}

function describeOther(item: Fields, type: string, to: Pieces): void {
  if (type === 'reasoning') return describeReasoning(item, to);
  if (type.startsWith('compaction')) return describeCompaction(item, to);
  to.role(Role.assistant);
  if (type !== 'item_reference') return to.value(item, type);
  // What it refers to is not known: it may be a call, and its output the next item.
  to.flag(Flag.leads);
  to.sealed('item', item.id);
}

/** Refused without the item that it led to, and that without it. */
function describeReasoning(item: Fields, to: Pieces): void {
  to.role(Role.assistant);
  to.flag(Flag.leads);
  to.sealed('reasoning', item.encrypted_content ?? item.id ?? item.content ?? item.summary);
}

/** One that can be read is merged into the next summary. An encrypted one is all that is left of what came before it. */
function describeCompaction(item: Fields, to: Pieces): void {
  const text = textAt(item, 'summary') ?? textAt(item, 'content') ?? textAt(item, 'text');
  to.role(text === undefined ? Role.system : Role.assistant);
  if (text === undefined) return to.sealed('compaction', item.encrypted_content ?? item.id);
  to.flag(Flag.hostSummary);
  to.text(text);
}

function callId(item: Fields): string | undefined {
  return textAt(item, 'call_id') ?? textAt(item, 'callId');
}

function inputOf(item: Fields): unknown {
  return item.arguments ?? item.input ?? item.action ?? item.actions ?? item.operation ?? item.code ?? item.queries;
}

function sourceOf(part: Fields): unknown {
  return part.image_url ?? part.image ?? part.file_id ?? part.file_data ?? part.file_url ?? part.file ?? part.input_audio ?? part.audio;
}

/** The type of the call that an output of `type` answers. */
function callOf(type: string): string {
  if (type === 'mcp_approval_response') return APPROVAL;
  const call = type.replace(/_(?:output|result)$/, '');
  return call.endsWith('_call') ? call : `${call}_call`;
}

/** The calls of {@link describeCall} carry their type in front where it is no function. */
function closingOf(call: string, text: string): ResponsesItem {
  const [, type = 'function_call', id = call] = TYPED.exec(call) ?? [];
  return closedItem(type, id, text);
}

function messageOf(role: string, text: string): ResponsesItem {
  return { type: 'message', role, content: [{ type: 'input_text', text }] };
}

function roleOf(role: unknown): number {
  return role === 'user' ? Role.user : role === 'system' || role === 'developer' ? Role.system : Role.assistant;
}

const APPROVAL = 'mcp_approval_request';
/** An id with the type of its call in front. */
const TYPED = /^([a-z_]+_call|mcp_approval_request) (.*)$/s;
const CLOSED: ReadonlySet<string> = new Set(['web_search_call', 'file_search_call', 'code_interpreter_call', 'image_generation_call', 'mcp_call', 'hosted_tool_call']);
