// OpenAI chat messages, and what tells them from look-alikes: other formats use the same roles with parts of other kinds.

import { type Fields, fields, isFields, list, text, tokens, written } from '../../json.js';
import { Role } from '../../trace.js';
import type { Draft } from '../entries.js';
import { mediaBytes } from '../media.js';
import type { Shape } from '../shape.js';

export const openAiChat: Shape = {
  isMessage: isChatMessage,
  drafts: (message) => [readChatMessage(message)],
  messages: (body) => list(body['messages'] ?? body['traj']),
  isResponse: (response) => Array.isArray(response['choices']),
  answer: (response) => [fields(list(response['choices'])[0])['message']],
  usage(holder) {
    const usage = holder['usage'];
    return isFields(usage) ? { promptTokens: tokens(usage['prompt_tokens']), outputTokens: tokens(usage['completion_tokens']) } : undefined;
  },
};

export function isChatMessage(value: unknown): value is Fields {
  if (!isFields(value) || !(text(value['role']) in ROLES) || 'parts' in value) return false;
  const content = value['content'];
  if (Array.isArray(content)) return content.every((part) => PART_TYPES.has(text(fields(part)['type'])) && !('mediaType' in fields(part)));
  return typeof content === 'string' || content === null || Array.isArray(value['tool_calls']);
}

export function readChatMessage(message: Fields): Draft {
  const content = message['content'];
  const texts: string[] = typeof content === 'string' ? [content] : [];
  const media = list(content).filter((part) => BLOB_TYPES.has(text(fields(part)['type'])));
  for (const part of list(content).map(fields)) texts.push(text(part['text']) + text(part['refusal']));
  const calls: string[] = [];
  for (const call of list(message['tool_calls']).map(fields)) {
    const called = isFields(call['custom']) ? call['custom'] : fields(call['function']);
    texts.push(text(called['name']), written(called['arguments'] ?? called['input']));
    calls.push(text(call['id']));
  }
  const answers = message['tool_call_id'] ?? (message['role'] === 'function' ? message['name'] : undefined);
  const role = ROLES[text(message['role'])] ?? Role.user;
  return { role, texts, images: media.length, mediaBytes: mediaBytes(media), calls, ...(typeof answers === 'string' ? { answers } : {}) };
}

const ROLES: Readonly<Record<string, Role>> = Object.assign(Object.create(null), {
  system: Role.system,
  developer: Role.system,
  user: Role.user,
  assistant: Role.assistant,
  tool: Role.tool,
  function: Role.tool,
});
const BLOB_TYPES: ReadonlySet<string> = new Set(['image_url', 'input_audio', 'file']);
const PART_TYPES: ReadonlySet<string> = new Set(['text', 'refusal', ...BLOB_TYPES]);
