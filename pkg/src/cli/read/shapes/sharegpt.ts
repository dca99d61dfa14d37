// ShareGPT-like exports: who speaks is `from`, what is said is `value`. Calls and their results have no ids; the next
// result answers the last call.

import { type Fields, isFields, list, text } from '../../json.js';
import { Role } from '../../trace.js';
import type { Shape } from '../shape.js';

export const shareGpt: Shape = {
  isMessage: (value): value is Fields => isFields(value) && text(value['from']) in ROLES && typeof value['value'] === 'string',
  drafts(message) {
    const from = text(message['from']);
    const role = ROLES[from] ?? Role.user;
    const texts = [text(message['value'])];
    if (role === Role.tool) return [{ role, texts, answers: UNNAMED_CALL }];
    return [{ role, texts, calls: CALLS.has(from) ? [UNNAMED_CALL] : [] }];
  },
  messages: (body) => list(body['conversations'] ?? body['conversation']),
  isResponse: () => false,
  answer: () => [],
  usage: () => undefined,
};

const ROLES: Readonly<Record<string, Role>> = Object.assign(Object.create(null), {
  system: Role.system,
  human: Role.user,
  user: Role.user,
  gpt: Role.assistant,
  assistant: Role.assistant,
  model: Role.assistant,
  chatgpt: Role.assistant,
  bing: Role.assistant,
  function_call: Role.assistant,
  tool_call: Role.assistant,
  observation: Role.tool,
  tool: Role.tool,
  function_response: Role.tool,
  tool_response: Role.tool,
});
const CALLS: ReadonlySet<string> = new Set(['function_call', 'tool_call']);
/** Stands for the id that the format does not have. */
export const UNNAMED_CALL = 'the last call';
