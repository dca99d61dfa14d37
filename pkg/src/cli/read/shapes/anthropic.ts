// Anthropic messages: blocks, with a tool's results in the next user message. Claude Code keeps the same.

import { type Fields, fields, isFields, list, text, tokens, written } from '../../json.js';
import { Flag, Role } from '../../trace.js';
import { type Answer, blankAnswer, type Draft } from '../entries.js';
import { mediaBytes } from '../media.js';
import type { Counted, Shape, Usage } from '../shape.js';

export const anthropic: Shape = {
  isMessage(value): value is Fields {
    if (!isFields(value) || (value['role'] !== 'user' && value['role'] !== 'assistant')) return false;
    const content = value['content'];
    return typeof content === 'string' || (Array.isArray(content) && content.every((block) => isBlock(fields(block))));
  },
  drafts: (message) => (message['role'] === 'assistant' ? readAnswer(message['content']) : readUser(message['content'], 0)),
  messages: (body) => list(body['messages']),
  isResponse: (response) => response['type'] === 'message' && Array.isArray(response['content']),
  answer: (response) => [response],
  usage: (holder) => (isFields(holder['usage']) ? countedBy(holder['usage']) : undefined),
};

function isBlock(block: Fields): boolean {
  const type = text(block['type']);
  return MEDIA.has(type) ? 'source' in block : BLOCKS.has(type) || SERVER_BLOCK.test(type);
}

/** The input of Anthropic leaves out what the cache holds. With a compaction on the server, its last iteration that is a message counts. */
export function countedBy(usage: Fields): Counted {
  const iterations = list(usage['iterations']).map(fields);
  const answer = iterations.filter((one) => one['type'] === 'message').at(-1);
  const passes = iterations.filter((one) => one['type'] === 'compaction').map(whole);
  const pass = passes.length === 0 ? undefined : { promptTokens: Math.max(...passes.map((one) => one.promptTokens)), outputTokens: passes.reduce((sum, one) => sum + one.outputTokens, 0) };
  return { ...whole(answer ?? usage), pass };
}

function whole(usage: Fields): Usage {
  const prompt = tokens(usage['input_tokens']) + tokens(usage['cache_creation_input_tokens']) + tokens(usage['cache_read_input_tokens']);
  return { promptTokens: tokens(prompt), outputTokens: tokens(usage['output_tokens']) };
}

/** The summary of a compaction on the server stands for all that was before it; one without content is a compaction that failed. */
function readAnswer(content: unknown): Draft[] {
  const summaries = list(content).map(fields).filter((block) => block['type'] === 'compaction' && typeof block['content'] === 'string');
  const answer: Answer = blankAnswer();
  readBlocks(content, answer);
  const spoken = answer.texts.length > 0 || answer.calls.length > 0 || summaries.length === 0;
  return [...summaries.map((block): Draft => ({ role: Role.assistant, texts: [text(block['content'])], compacts: Buffer.byteLength(text(block['content'])) })), ...(spoken ? [answer] : [])];
}

/** Adds what an assistant's blocks say to `answer`. Tools that the server ran stand beside their results, and wait for nothing. */
export function readBlocks(content: unknown, answer: Answer): void {
  if (typeof content === 'string') answer.texts.push(content);
  for (const block of list(content).map(fields)) {
    const type = text(block['type']);
    if (type === 'text') answer.texts.push(text(block['text']));
    else if (type === 'thinking') answer.texts.push(text(block['thinking']));
    else if (type === 'redacted_thinking') answer.texts.push('');
    else if (type === 'tool_use') {
      answer.texts.push(text(block['name']), written(block['input']));
      answer.calls.push(text(block['id']));
    } else if (SERVER_BLOCK.test(type)) answer.texts.push(text(block['name']), written(block['input'] ?? block['content']));
  }
}

/** One draft for each tool result, and one for whatever else the message says. */
export function readUser(content: unknown, flags: number): Draft[] {
  if (typeof content === 'string') return [{ role: Role.user, flags, texts: [content] }];
  const blocks = list(content).map(fields);
  const results = blocks.filter((block) => block['type'] === 'tool_result').map(readResult);
  const texts = blocks.filter((block) => block['type'] === 'text').map((block) => text(block['text']));
  const media = blocks.filter((block) => MEDIA.has(text(block['type'])));
  if (texts.length === 0 && media.length === 0) return results;
  // Words beside a tool's results come from the client, not from a person.
  const beside = results.length > 0 ? Flag.synthetic : 0;
  return [...results, { role: Role.user, flags: flags | beside, texts, images: media.length, mediaBytes: mediaBytes(media) }];
}

function readResult(block: Fields): Draft {
  const inside = block['content'];
  const answers = text(block['tool_use_id']);
  if (typeof inside === 'string') return { role: Role.tool, texts: [inside], answers };
  const parts = list(inside).map(fields);
  const media = parts.filter((one) => MEDIA.has(text(one['type'])));
  const texts = parts.filter((one) => one['type'] === 'text').map((one) => text(one['text']));
  return { role: Role.tool, texts, images: media.length, mediaBytes: mediaBytes(media), answers };
}

const MEDIA: ReadonlySet<string> = new Set(['image', 'document']);
const BLOCKS: ReadonlySet<string> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result', 'compaction', ...MEDIA]);
/** `server_tool_use`, `web_search_tool_result`, `mcp_tool_use` and whatever comes next to them. */
const SERVER_BLOCK = /^(?:server|mcp)_tool_use$|_tool_result$/;
