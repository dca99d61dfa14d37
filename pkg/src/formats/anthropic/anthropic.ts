// Anthropic messages: content blocks, results in the user message behind the calls, the system prompt elsewhere. Field paths only.

import { anthropicUsage } from './anthropic-usage.js';
import { fieldsAt, isFields, textAt, type Fields } from '../shape/json.js';
import type { Pieces } from '../shape/pieces.js';
import { Flag, Role } from '../reader.js';
import { readReply } from '../answers/reply.js';
import type { Rules } from '../shape/rewrite.js';
import { readerOf, type FormatReader } from '../shape/reader-of.js';

/** Only what is read; the types of client libraries fit it. */
export interface AnthropicMessage {
  role: 'user' | 'assistant' | 'system';
  content: unknown;
}

const rules: Rules = {
  texts: new Set(['content', 'text']),
  data: new Set(['input']),
  media: mediaKind,
  placeholder: (text) => ({ type: 'text', text }),
  sealed: (part) => SEALED.has(part.type),
  result: (part) => (part.type === 'tool_result' || part.type === 'mcp_tool_result' ? 'content' : undefined),
  resultOf: (text, part) => (part.type === 'tool_result' ? text : [{ type: 'text', text }]),
};

/** Messages of the Anthropic API. The top-level system prompt is no message; it counts as overhead. */
export const anthropic: FormatReader<AnthropicMessage> = /* @__PURE__ */ readerOf<AnthropicMessage>({
  name: 'anthropic',
  describe,
  rules,
  summaryMessage: (content) => ({ role: 'user', content }),
  lateResult: (text) => ({ role: 'user', content: `[late result of a tool call that was summarised above]\n${text}` }),
  requestMessages: (system, user) => [{ role: 'user', content: `${system}\n\n${user}` }],
  instruction: (content) => ({ role: 'user', content }),
  closing: closingOf,
  usage: anthropicUsage,
  reply: (reply) => ({ ...readReply(reply), usage: anthropicUsage(reply) }),
});

function describe(message: unknown, to: Pieces): void {
  if (typeof message === 'string') return to.text(message);
  if (!isFields(message)) return;
  to.role(roleOf(message.role));
  const { content } = message;
  if (!Array.isArray(content)) return describeContent(content, to, 0);
  const closed = closedIds(content);
  for (const block of content) describeBlock(block, to, closed);
}

/** What stands in a message or in a result: a text or a list of blocks. */
function describeContent(content: unknown, to: Pieces, depth: number): void {
  if (typeof content === 'string') to.text(content);
  else if (Array.isArray(content) && depth < MOST_LISTS) for (const block of content) describePlain(block, to, depth + 1);
  else if (content !== null && content !== undefined) to.value(content);
}

function describeBlock(block: unknown, to: Pieces, closed: ReadonlySet<string>): void {
  const type = textAt(block, 'type') ?? '';
  if (!isFields(block)) describePlain(block, to, 1);
  else if (type.endsWith('tool_use')) describeCall(block, type, to, closed);
  else if (type.endsWith('tool_result')) describeResult(block, to, closed);
  else if (type === 'thinking') to.reasoning(textAt(block, 'thinking') || block.signature);
  else if (type === 'redacted_thinking') to.reasoning(block.data);
  else if (type === 'compaction') describeCompaction(block, to);
  else describePlain(block, to, 1);
}

/** Calls that the provider runs itself have their result in the same message, unless the turn was paused. */
function describeCall(block: Fields, type: string, to: Pieces, closed: ReadonlySet<string>): void {
  const id = textAt(block, 'id');
  if (id !== undefined && closed.has(id)) to.closedCall(block.name, block.input);
  else to.call(type === 'tool_use' ? id : SERVER + (id ?? ''), block.name, block.input);
}

function describeResult(block: Fields, to: Pieces, closed: ReadonlySet<string>): void {
  const id = textAt(block, 'tool_use_id');
  const own = block.type === 'tool_result';
  if (own) to.become(Role.tool);
  if (id === undefined || !closed.has(id)) to.answer(own ? id : SERVER + (id ?? ''));
  describeContent(block.content, to, 1);
}

/** What the provider's own compaction wrote: everything before it is ignored there. Without a text it failed, and changed nothing. */
function describeCompaction(block: Fields, to: Pieces): void {
  const text = textAt(block, 'content');
  if (text === undefined) return;
  to.flag(Flag.hostSummary);
  to.text(text);
}

function describePlain(block: unknown, to: Pieces, depth: number): void {
  if (!isFields(block)) return typeof block === 'string' ? to.text(block) : undefined;
  const kind = mediaKind(block);
  const source = fieldsAt(block, 'source');
  if (kind !== undefined) to.media(kind, source ?? block.file_id);
  else if (typeof block.text === 'string') to.text(block.text);
  else if (block.type === 'document') describeContent(source?.data ?? source?.content, to, depth);
  else if (block.type === 'search_result') describeContent(block.content, to, depth);
  else if (block.type === 'web_search_result') describeFound(block, to);
  else to.value(unmarked(block), textAt(block, 'type'));
}

function describeFound(block: Fields, to: Pieces): void {
  to.text(`${textAt(block, 'title') ?? ''} ${textAt(block, 'url') ?? ''}`);
  to.sealed('page', block.encrypted_content);
}

/** A host moves its cache marks with every call; the model never sees them. */
function unmarked({ cache_control, ...block }: Fields): Fields {
  return block;
}

/** The ids whose call and result both stand in `content`. */
function closedIds(content: readonly unknown[]): ReadonlySet<string> {
  const called = new Set<string>();
  const closed = new Set<string>();
  for (const block of content) {
    const [id, answered] = [textAt(block, 'id'), textAt(block, 'tool_use_id')];
    if (id !== undefined) called.add(id);
    if (answered !== undefined && called.has(answered)) closed.add(answered);
  }
  return closed;
}

function roleOf(role: unknown): number {
  return role === 'user' ? Role.user : role === 'system' ? Role.system : Role.assistant;
}

function mediaKind(part: Fields): string | undefined {
  if (part.type === 'image') return 'image';
  if (part.type === 'container_upload') return 'file';
  const source = textAt(part.source, 'type');
  return part.type === 'document' && source !== 'text' && source !== 'content' ? 'document' : undefined;
}

/** All results of one turn stand in one message. What the provider runs nobody else can answer. */
function closingOf(calls: readonly string[], text: string): AnthropicMessage[] {
  const own = calls.filter((id) => !id.startsWith(SERVER));
  return own.length === 0 ? [] : [{ role: 'user', content: own.map((id) => ({ type: 'tool_result', tool_use_id: id, content: text })) }];
}

/** Lists within lists: a search result in a tool's result holds one. What lies deeper is read as any other value. */
const MOST_LISTS = 3;
/** In front of the ids of calls that the provider runs. */
const SERVER = 'server ';
/** Signed, encrypted or to be sent back unchanged. */
const SEALED: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'compaction']);
