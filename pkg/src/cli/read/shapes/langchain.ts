// LangChain messages: as a thread of LangGraph keeps them, as `mapChatMessagesToStoredMessages` writes them (`data`), and
// as LangChain serialises objects (`kwargs`).

import { type Fields, fields, isFields, list, text, tokens, written } from '../../json.js';
import { Flag, Role } from '../../trace.js';
import type { Draft } from '../entries.js';
import { mediaBytes } from '../media.js';
import type { Shape } from '../shape.js';

export const langchain: Shape = {
  isMessage: (value): value is Fields => isFields(value) && typeOf(value) in ROLES && 'content' in bodyOf(value) && !('role' in value),
  drafts: (message) => [readMessage(typeOf(message), bodyOf(message))],
  messages: (body) => list(body['messages']),
  isResponse: () => false,
  answer: () => [],
  usage(holder) {
    const usage = bodyOf(holder)['usage_metadata'];
    return isFields(usage) ? { promptTokens: tokens(usage['input_tokens']), outputTokens: tokens(usage['output_tokens']) } : undefined;
  },
};

function bodyOf(message: Fields): Fields {
  if (isFields(message['kwargs'])) return message['kwargs'];
  return isFields(message['data']) ? message['data'] : message;
}

/** "human", also from the class name with which a serialised object ends: "HumanMessage". */
function typeOf(message: Fields): string {
  const named = text(list(message['id']).at(-1)).replace(/Message(?:Chunk)?$/, '').toLowerCase();
  return message['type'] === 'constructor' ? named : text(message['type']).replace(/MessageChunk$/, '').toLowerCase();
}

function readMessage(type: string, message: Fields): Draft {
  const content = message['content'];
  const parts = list(content).map(fields);
  const media = parts.filter((part) => MEDIA.test(text(part['type'])));
  const texts = typeof content === 'string' ? [content] : parts.map((part) => text(part['text'] ?? part['reasoning']));
  const calls = list(message['tool_calls']).map(fields);
  for (const call of calls) texts.push(text(call['name']), written(call['args']));
  const summary = fields(message['additional_kwargs'])['lc_source'] === 'summarization';
  const answers = message['tool_call_id'];
  return {
    role: ROLES[type] ?? Role.user,
    flags: summary ? Flag.hostSummary : 0,
    texts,
    images: media.length,
    mediaBytes: mediaBytes(media),
    calls: calls.map((call) => text(call['id'])),
    ...(typeof answers === 'string' ? { answers } : {}),
  };
}

const ROLES: Readonly<Record<string, Role>> = Object.assign(Object.create(null), {
  human: Role.user,
  ai: Role.assistant,
  system: Role.system,
  developer: Role.system,
  tool: Role.tool,
  function: Role.tool,
});
const MEDIA = /^(?:image|image_url|audio|video|file|input_audio)$/;
