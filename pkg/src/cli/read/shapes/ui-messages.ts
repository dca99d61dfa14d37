// UIMessages of the AI SDK and of TanStack AI: parts, with a tool's call and its result inside of one message. A call whose
// result stands beside it waits for nothing.

import { type Fields, fields, isFields, list, text, written } from '../../json.js';
import { Role } from '../../trace.js';
import { type Answer, blankAnswer, type Draft } from '../entries.js';
import { mediaBytes } from '../media.js';
import type { Shape } from '../shape.js';

export const uiMessages: Shape = {
  isMessage(value): value is Fields {
    if (!isFields(value) || !(text(value['role']) in ROLES)) return false;
    const parts = value['parts'];
    return Array.isArray(parts) && parts.every((part) => PART.test(text(fields(part)['type'])));
  },
  drafts: (message) => [readMessage(message)],
  messages: (body) => (isFields(body['message']) ? [body['message']] : list(body['messages'])),
  // Neither keeps requests with their responses, and what a host writes into `metadata` may be the sum over all steps.
  isResponse: () => false,
  answer: () => [],
  usage: () => undefined,
};

function readMessage(message: Fields): Draft {
  const parts = list(message['parts']).map(fields);
  const media = parts.filter((part) => MEDIA.has(text(part['type'])));
  const answered = new Set(parts.filter((part) => part['type'] === 'tool-result').map((part) => text(part['toolCallId'])));
  const draft: Answer = blankAnswer();
  for (const part of parts) readPart(part, draft, answered);
  return { ...draft, role: ROLES[text(message['role'])] ?? Role.user, images: media.length, mediaBytes: mediaBytes(media) };
}

function readPart(part: Fields, draft: Answer, answered: ReadonlySet<string>): void {
  const type = text(part['type']);
  if (WORDS.has(type)) draft.texts.push(text(part['text'] ?? part['content']));
  else if (type === 'tool-result') draft.texts.push(written(part['content']));
  else if (type.startsWith('tool-') || type === 'dynamic-tool') {
    const id = text(part['toolCallId'] ?? part['id']);
    const inside = answered.has(id);
    draft.texts.push(text(part['toolName'] ?? part['name']), written(part['input'] ?? part['arguments']));
    if (!inside) draft.texts.push(written(part['output'] ?? part['errorText']));
    if (!inside && part['output'] === undefined && !ENDED.has(text(part['state']))) draft.calls.push(id);
  }
}

const ROLES: Readonly<Record<string, Role>> = Object.assign(Object.create(null), { system: Role.system, user: Role.user, assistant: Role.assistant });
const WORDS: ReadonlySet<string> = new Set(['text', 'reasoning', 'thinking']);
const MEDIA: ReadonlySet<string> = new Set(['file', 'reasoning-file', 'image']);
const ENDED: ReadonlySet<string> = new Set(['output-available', 'output-error', 'output-denied']);
const PART = /^(?:text|reasoning|thinking|file|image|reasoning-file|step-start|source-\w+|custom|dynamic-tool|tool-.+|data-.+|steering-message)$/;
