// Gemini contents: parts without a type, calls whose ids may be left out. Then a call goes by its function's name.

import { type Fields, fields, isFields, list, text, tokens, written } from '../../json.js';
import { Flag, Role } from '../../trace.js';
import { blankAnswer, type Draft } from '../entries.js';
import { mediaBytes } from '../media.js';
import type { Shape } from '../shape.js';

export const gemini: Shape = {
  isMessage(value): value is Fields {
    if (!isFields(value) || !ROLES.has(value['role'])) return false;
    const parts = value['parts'];
    return Array.isArray(parts) && parts.every((part) => isFields(part) && !('type' in part));
  },
  drafts: (content) => (content['role'] === 'model' ? [readAnswer(content)] : readUser(content)),
  messages: (body) => list(body['contents'] ?? body['history']),
  isResponse: (response) => Array.isArray(response['candidates']),
  answer: (response) => [fields(list(response['candidates'])[0])['content']],
  usage(holder) {
    const usage = holder['usageMetadata'];
    if (!isFields(usage)) return undefined;
    // What the cache held is inside of the prompt, what tools of the server added is not.
    const prompt = tokens(usage['promptTokenCount']) + tokens(usage['toolUsePromptTokenCount']);
    return { promptTokens: tokens(prompt), outputTokens: tokens(usage['candidatesTokenCount']) + tokens(usage['thoughtsTokenCount']) };
  },
};

function readAnswer(content: Fields): Draft {
  const answer = blankAnswer();
  for (const part of list(content['parts']).map(fields)) {
    answer.texts.push(text(part['text']));
    const call = part['functionCall'] ?? part['function_call'];
    if (!isFields(call)) continue;
    answer.texts.push(text(call['name']), written(call['args']));
    answer.calls.push(idOf(call));
  }
  return answer;
}

/** One draft for each function's response, and one for whatever else the content says. */
function readUser(content: Fields): Draft[] {
  const parts = list(content['parts']).map(fields);
  const responses = parts.map((part) => part['functionResponse'] ?? part['function_response']).filter(isFields);
  const results = responses.map(readResponse);
  const texts = parts.filter((part) => typeof part['text'] === 'string').map((part) => text(part['text']));
  const media = parts.filter(isMedia);
  if (results.length > 0 && texts.length === 0 && media.length === 0) return results;
  const flags = results.length > 0 ? Flag.synthetic : 0;
  return [...results, { role: content['role'] === 'system' ? Role.system : Role.user, flags, texts, images: media.length, mediaBytes: mediaBytes(media) }];
}

function readResponse(response: Fields): Draft {
  const media = list(response['parts']).filter(isMedia);
  return { role: Role.tool, texts: [written(response['response'])], images: media.length, mediaBytes: mediaBytes(media), answers: idOf(response) };
}

function isMedia(part: unknown): boolean {
  return MEDIA.some((name) => isFields(fields(part)[name]));
}

function idOf(call: Fields): string {
  return text(call['id']) || `function ${text(call['name'])}`;
}

const ROLES: ReadonlySet<unknown> = new Set(['user', 'model', 'function', 'system', undefined]);
const MEDIA = ['inlineData', 'inline_data', 'fileData', 'file_data'];
