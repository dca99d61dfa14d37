// OpenAI Responses items. One answer is several items: reasoning, words, calls. They are read together, as one message.

import { type Fields, fields, isFields, list, text, tokens, written } from '../../json.js';
import { Role } from '../../trace.js';
import { type Answer, blankAnswer, type Draft } from '../entries.js';
import { mediaBytes } from '../media.js';
import type { Shape } from '../shape.js';

export const openAiResponses: Shape = {
  isMessage: (value): value is Fields => isFields(value) && (isItem(value) || Array.isArray(value[ANSWER])),
  drafts(message) {
    const items = Array.isArray(message[ANSWER]) ? list(message[ANSWER]) : [message];
    return readItems(items);
  },
  messages(body) {
    const input = body['input'];
    return typeof input === 'string' ? [{ role: 'user', content: input }] : folded(list(input));
  },
  isResponse: (response) => Array.isArray(response['output']),
  answer: (response) => folded(list(response['output'])),
  usage(holder) {
    const usage = holder['usage'];
    return isFields(usage) ? { promptTokens: tokens(usage['input_tokens']), outputTokens: tokens(usage['output_tokens']) } : undefined;
  },
  isPass: (response) => response['object'] === 'response.compaction',
};

/** Whether a value is one item. Messages may leave their type out. */
export function isItem(value: Fields): boolean {
  const type = value['type'];
  if (type === undefined || type === 'message') {
    const content = value['content'];
    return text(value['role']) in ROLES && (typeof content === 'string' || (Array.isArray(content) && content.every((part) => PART.test(text(fields(part)['type'])))));
  }
  return typeof type === 'string' && ITEM.test(type);
}

/** Items of one answer that stand in a row become one message. */
function folded(items: readonly unknown[]): unknown[] {
  const messages: unknown[] = [];
  let answer: unknown[] | undefined;
  for (const item of items) {
    if (isFields(item) && isAnswer(item)) {
      if (answer === undefined) messages.push({ [ANSWER]: (answer = []) });
      answer.push(item);
    } else {
      answer = undefined;
      messages.push(item);
    }
  }
  return messages;
}

/** Whether the model made an item. */
export function isAnswer(item: Fields): boolean {
  const type = text(item['type']);
  return item['role'] === 'assistant' || type === 'reasoning' || CALL.test(type);
}

/** The entries of some items: one for what the model made, one for each message or result, and what stands for all before it. */
export function readItems(items: readonly unknown[]): Draft[] {
  const drafts: Draft[] = [];
  let answer: Answer | undefined;
  for (const item of items.map(fields)) {
    if (!isAnswer(item)) {
      answer = undefined;
      drafts.push(readInput(item));
      continue;
    }
    if (answer === undefined) drafts.push((answer = blankAnswer()));
    readOutput(item, answer);
  }
  return drafts;
}

/** Adds an item that the model made to its answer. Tools that the server ran wait for nothing. */
export function readOutput(item: Fields, answer: Answer): void {
  const type = text(item['type']);
  if (CALL.test(type)) {
    answer.texts.push(text(item['name']), written(item['arguments'] ?? item['input'] ?? item['action']));
    if (typeof item['call_id'] === 'string') answer.calls.push(item['call_id']);
  } else if (type === 'reasoning') {
    for (const part of [...list(item['summary']), ...list(item['content'])].map(fields)) answer.texts.push(text(part['text']));
    if (answer.texts.length === 0) answer.texts.push('');
  } else {
    answer.texts.push(...readParts(item['content']).texts);
  }
}

/** A message to the model, a result, or a compaction. What is encrypted weighs about what it says: base64 takes four characters for three. */
export function readInput(item: Fields): Draft {
  const sealed = item['encrypted_content'];
  if (/^compaction/.test(text(item['type']))) {
    return { role: Role.assistant, texts: [text(sealed ?? item['content'])], compacts: typeof sealed === 'string' ? Math.ceil(sealed.length * 0.75) : Buffer.byteLength(text(item['content'])) };
  }
  if (RESULT.test(text(item['type']))) {
    const output = item['output'] ?? item['tools'];
    const said = typeof output === 'string' || isParts(output) ? readParts(output) : { texts: [written(output)] };
    return { role: Role.tool, ...said, answers: text(item['call_id']) };
  }
  return { role: ROLES[text(item['role'])] ?? Role.user, ...readParts(item['content']) };
}

function isParts(value: unknown): boolean {
  return (Array.isArray(value) ? value : [value]).every((part) => PART.test(text(fields(part)['type'])));
}

function readParts(content: unknown): Pick<Draft, 'texts' | 'images' | 'mediaBytes'> & { texts: string[] } {
  if (typeof content === 'string') return { texts: [content] };
  const parts = (isFields(content) ? [content] : list(content)).map(fields);
  const media = parts.filter((part) => MEDIA.has(text(part['type'])));
  return { texts: parts.map((part) => text(part['text']) + text(part['refusal'])), images: media.length, mediaBytes: mediaBytes(media) };
}

/** The items of one answer, while they are read as one message. */
const ANSWER = 'answer of several items';
const ROLES: Readonly<Record<string, Role>> = Object.assign(Object.create(null), { system: Role.system, developer: Role.system, user: Role.user, assistant: Role.assistant });
const MEDIA: ReadonlySet<string> = new Set(['input_image', 'input_file', 'input_audio', 'computer_screenshot']);
const PART = /^(?:input|output)_\w+$|^refusal$|^summary_text$|^computer_screenshot$|^encrypted_content$/;
const CALL = /_call$/;
const RESULT = /_output$/;
const ITEM = /_call$|_output$|^reasoning$|^compaction(?:_summary)?$|^item_reference$|^mcp_list_tools$|^mcp_approval_\w+$/;
