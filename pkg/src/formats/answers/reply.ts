// The text of a model's reply and how it ended.

import type { Finish } from '../../boundary/glue.js';
import { fieldsAt, isFields, textAt, type Fields } from '../shape/json.js';
import type { Reply } from '../reader.js';
import { readUsage } from './usage.js';

/** Reads a string, an OpenAI reply, one of its compatible servers, Anthropic's shape, or Workers AI's `{ response }`. */
export function readReply(reply: unknown): Reply {
  if (typeof reply === 'string') return { text: reply, finish: 'unknown', usage: undefined };
  if (!isFields(reply)) return { text: '', finish: 'unknown', usage: undefined };
  const choice = firstChoice(reply);
  return { text: textOf(reply, choice), finish: finishOf(reply, choice), usage: readUsage(reply) };
}

function firstChoice(reply: Fields): Fields | undefined {
  const first: unknown = Array.isArray(reply.choices) ? reply.choices[0] : undefined;
  return isFields(first) ? first : undefined;
}

function textOf(reply: Fields, choice: Fields | undefined): string {
  if (choice) return joined(fieldsAt(choice, 'message')?.content) ?? textAt(choice, 'text') ?? '';
  for (const key of ['response', 'output_text', 'text', 'content']) {
    const text = joined(reply[key]);
    if (text !== undefined) return text;
  }
  return '';
}

function joined(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  return content.map((part: unknown) => textAt(part, 'text') ?? '').join('');
}

function finishOf(reply: Fields, choice: Fields | undefined): Finish {
  if (textAt(fieldsAt(choice, 'message'), 'refusal')) return 'refusal';
  const reason = textAt(choice, 'finish_reason') ?? textAt(reply, 'finish_reason') ?? textAt(reply, 'stop_reason');
  return finishFrom(reason);
}

/** Providers write the same few reasons in upper case or with hyphens too. */
export function finishFrom(reason: string | undefined): Finish {
  return (reason !== undefined && FINISHES.get(reason.toLowerCase().replaceAll('-', '_'))) || 'unknown';
}

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ['stop', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['content_filter', 'refusal'],
  ['safety', 'refusal'],
  ['refusal', 'refusal'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
]);
