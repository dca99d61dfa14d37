// ModelMessages of the AI SDK: the roles of OpenAI chat, with parts of its own. A tool message may hold several results.

import { approvalId, outcomeOf } from '../../../formats/ai-sdk/model-results.js';
import { type Fields, fields, isFields, list, text, written } from '../../json.js';
import { Flag, Role } from '../../trace.js';
import { type Answer, blankAnswer, type Draft } from '../entries.js';
import { mediaBytes } from '../media.js';
import type { Shape } from '../shape.js';

export const modelMessages: Shape = {
  isMessage(value): value is Fields {
    if (!isFields(value) || !(text(value['role']) in ROLES)) return false;
    const content = value['content'];
    if (typeof content === 'string') return value['role'] !== 'tool';
    return Array.isArray(content) && content.every((part) => isPart(fields(part)));
  },
  drafts(message) {
    const parts = typeof message['content'] === 'string' ? [{ type: 'text', text: message['content'] }] : list(message['content']).map(fields);
    if (message['role'] === 'tool') return parts.map(readResult);
    return [message['role'] === 'assistant' ? readAnswer(parts) : { role: ROLES[text(message['role'])] ?? Role.user, ...said(parts) }];
  },
  messages: (body) => list(body['messages']),
  // The SDK keeps no request with its response; what hosts write beside messages is theirs.
  isResponse: () => false,
  answer: () => [],
  usage: () => undefined,
};

function isPart(part: Fields): boolean {
  const type = text(part['type']);
  if (type === 'text' || type === 'reasoning') return typeof part['text'] === 'string';
  if (type === 'image') return 'image' in part;
  if (FILES.has(type)) return typeof part['mediaType'] === 'string';
  return OTHERS.has(type);
}

/** A call that its provider answered stands beside its result, and waits for nothing. */
function readAnswer(parts: readonly Fields[]): Answer {
  const answered = new Set(parts.filter((part) => part['type'] === 'tool-result').map((part) => part['toolCallId']));
  const answer: Answer = { ...blankAnswer(), ...said(parts) };
  for (const part of parts) {
    if (part['type'] === 'tool-approval-request') answer.calls.push(approvalId(part));
    if (part['type'] === 'tool-result') answer.texts.push(...resultOf(part).texts);
    if (part['type'] !== 'tool-call') continue;
    answer.texts.push(text(part['toolName']), written(part['input']));
    if (!answered.has(part['toolCallId'])) answer.calls.push(text(part['toolCallId']));
  }
  return answer;
}

function said(parts: readonly Fields[]): Pick<Draft, 'images' | 'mediaBytes'> & { texts: string[] } {
  const media = parts.filter((part) => MEDIA.has(text(part['type'])));
  const texts = parts.filter((part) => typeof part['text'] === 'string').map((part) => text(part['text']));
  return { texts, images: media.length, mediaBytes: mediaBytes(media) };
}

function readResult(part: Fields): Draft {
  if (part['type'] !== 'tool-approval-response') return { role: Role.tool, ...resultOf(part), answers: text(part['toolCallId']) };
  return { role: Role.tool, flags: Flag.synthetic, texts: [part['approved'] === true ? 'approved' : 'denied', text(part['reason'])], answers: approvalId(part) };
}

function resultOf(part: Fields): Pick<Draft, 'texts' | 'images' | 'mediaBytes'> {
  const { value, parts } = outcomeOf(part['output']);
  const inner = parts.map(fields);
  const media = inner.filter((one) => typeof one['text'] !== 'string');
  return { texts: [written(value), ...inner.map((one) => text(one['text']))], images: media.length, mediaBytes: mediaBytes(media) };
}

const ROLES: Readonly<Record<string, Role>> = Object.assign(Object.create(null), { system: Role.system, user: Role.user, assistant: Role.assistant, tool: Role.tool });
const FILES: ReadonlySet<string> = new Set(['file', 'reasoning-file', 'media']);
const MEDIA: ReadonlySet<string> = new Set([...FILES, 'image']);
const OTHERS: ReadonlySet<string> = new Set(['tool-call', 'tool-result', 'tool-approval-request', 'tool-approval-response', 'custom']);
