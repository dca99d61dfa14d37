// One OpenAI chat message, and how it differs from look-alikes of other formats.

import { type Fields, fields, isFields, list, text, written } from '../json.js';
import { Role } from '../trace.js';
import type { Draft } from './entries.js';

/** Whether a value has the shape of an OpenAI chat message. Other formats use the same roles with parts of other kinds. */
export function isChatMessage(value: unknown): value is Fields {
  if (!isFields(value) || !(text(value['role']) in ROLES) || 'parts' in value) return false;
  const content = value['content'];
  if (Array.isArray(content)) return content.every((part) => PART_TYPES.has(text(fields(part)['type'])));
  return typeof content === 'string' || content === null || Array.isArray(value['tool_calls']);
}

/** Whether a value is a list that begins with chat messages. Later members are judged one by one. */
export function isChat(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.slice(0, LOOKED_AT).every(isChatMessage);
}

export function readChatMessage(message: Fields): Draft {
  const content = message['content'];
  const texts: string[] = typeof content === 'string' ? [content] : [];
  let images = 0;
  for (const part of list(content).map(fields)) {
    texts.push(text(part['text']) + text(part['refusal']));
    if (BLOB_TYPES.has(text(part['type']))) images += 1;
  }
  const calls: string[] = [];
  for (const call of list(message['tool_calls']).map(fields)) {
    const called = isFields(call['custom']) ? call['custom'] : fields(call['function']);
    texts.push(text(called['name']), written(called['arguments'] ?? called['input']));
    calls.push(text(call['id']));
  }
  const answers = message['tool_call_id'] ?? (message['role'] === 'function' ? message['name'] : undefined);
  const role = ROLES[text(message['role'])] ?? Role.user;
  return { role, texts, images, calls, ...(typeof answers === 'string' ? { answers } : {}) };
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
const LOOKED_AT = 20;
