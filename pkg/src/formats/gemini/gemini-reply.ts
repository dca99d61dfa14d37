// What Gemini answers: candidates, a finish reason in capitals, and names of its own for what it counted.

import type { Finish } from '../../boundary/glue.js';
import { countAt, fieldsAt, isFields, textAt, type Fields } from '../shape/json.js';
import type { Reply, Usage } from '../reader.js';
import { readReply } from '../answers/reply.js';
import { readUsage } from '../answers/usage.js';

/** Reads a response, a chunk of a stream, or its usage. The prompt there includes what was cached, and not what tools of the provider read. */
export function geminiUsage(source: unknown): Usage | undefined {
  const usage = fieldsAt(source, 'usageMetadata') ?? source;
  const prompt = countAt(usage, 'promptTokenCount');
  if (prompt === undefined) return readUsage(source);
  return readUsage({
    prompt_tokens: prompt + (countAt(usage, 'toolUsePromptTokenCount') ?? 0),
    completion_tokens: (countAt(usage, 'candidatesTokenCount') ?? 0) + (countAt(usage, 'thoughtsTokenCount') ?? 0),
    total_tokens: countAt(usage, 'totalTokenCount'),
    prompt_tokens_details: { cached_tokens: countAt(usage, 'cachedContentTokenCount') },
  });
}

export function geminiReply(reply: unknown): Reply {
  const candidates = isFields(reply) ? reply.candidates : undefined;
  const first: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
  const usage = geminiUsage(reply);
  if (isFields(first)) return { text: textOf(first), finish: finishOf(first), usage };
  if (textAt(fieldsAt(reply, 'promptFeedback'), 'blockReason')) return { text: '', finish: 'refusal', usage };
  return { ...readReply(reply), usage };
}

function textOf(candidate: Fields): string {
  const parts = fieldsAt(candidate, 'content')?.parts;
  if (!Array.isArray(parts)) return '';
  return parts.map((part: unknown) => (isFields(part) && part.thought !== true ? textAt(part, 'text') : undefined) ?? '').join('');
}

/** A candidate that calls a function ends with `STOP` as well. */
function finishOf(candidate: Fields): Finish {
  const parts = fieldsAt(candidate, 'content')?.parts;
  if (Array.isArray(parts) && parts.some((part: unknown) => fieldsAt(part, 'functionCall'))) return 'tool_calls';
  return FINISHES.get(textAt(candidate, 'finishReason') ?? '') ?? 'unknown';
}

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'refusal'],
  ['RECITATION', 'refusal'],
  ['BLOCKLIST', 'refusal'],
  ['PROHIBITED_CONTENT', 'refusal'],
  ['SPII', 'refusal'],
  ['MALFORMED_FUNCTION_CALL', 'tool_calls'],
]);
