// What LangChain says of a call: usage, reply and finish.

import { langChainMessage } from './langchain-message.js';
import { countAt, fieldsAt, isFields, textAt, type Fields } from '../shape/json.js';
import type { Finish } from '../../boundary/glue.js';
import type { Reply, Usage } from '../reader.js';
import { finishFrom, readReply } from '../answers/reply.js';
import { readUsage } from '../answers/usage.js';

/** Reads an answer (an instance or a stored form), an agent's state, a `usage_metadata`, or `{ promptTokens }`. */
export function readLangChainUsage(source: unknown): Usage | undefined {
  const answer = answerOf(source);
  if (!answer) return undefined;
  const stated = fieldsAt(answer, 'usage_metadata');
  const raw = fieldsAt(answer, 'response_metadata');
  if (stated) return inclusive(stated) ?? ofProvider(raw);
  return ofProvider(raw) ?? inclusive(answer) ?? readUsage(answer);
}

/** Reads the same answers, and strings. */
export function readLangChainReply(reply: unknown): Reply {
  const answer = answerOf(reply);
  if (!answer || answer.content === undefined) return readReply(reply);
  return { text: textOf(answer.content), finish: finishOf(answer), usage: readLangChainUsage(answer) };
}

/** What a model answered: the message itself, the one in a `[message, metadata]` of a stream, or the last one of an agent's state. */
function answerOf(source: unknown): Fields | undefined {
  if (!isFields(source)) return undefined;
  if (Array.isArray(source)) return langChainMessage(source[0]).body;
  const messages = source.messages;
  if (!Array.isArray(messages)) return langChainMessage(source).body;
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = langChainMessage(messages[i]);
    if (message.type === 'ai') return message.body;
  }
  return undefined;
}

/** `input_tokens` is the sum of all input; a cache that is larger than it was counted beside it. */
function inclusive(usage: Fields): Usage | undefined {
  const details = fieldsAt(usage, 'input_token_details');
  const cached = (countAt(details, 'cache_read') ?? 0) + (countAt(details, 'cache_creation') ?? 0);
  const input = countAt(usage, 'input_tokens');
  return input !== undefined && cached <= input ? readUsage({ input_tokens: input, output_tokens: usage.output_tokens, total_tokens: usage.total_tokens }) : undefined;
}

/** Integrations keep what their provider said, under a name of their own. */
function ofProvider(metadata: Fields | undefined): Usage | undefined {
  for (const key of ['usage', 'tokenUsage', 'token_usage']) {
    const usage = fieldsAt(metadata, key);
    if (usage) return readUsage(usage);
  }
  return undefined;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block: unknown) => (typeof block === 'string' ? block : (textAt(block, 'text') ?? ''))).join('');
}

function finishOf(answer: Fields): Finish {
  if (textAt(fieldsAt(answer, 'additional_kwargs'), 'refusal')) return 'refusal';
  const metadata = fieldsAt(answer, 'response_metadata');
  for (const key of ['finish_reason', 'stop_reason', 'finishReason', 'stopReason', 'done_reason']) {
    const reason = textAt(metadata, key);
    if (reason !== undefined) return finishFrom(reason);
  }
  return Array.isArray(answer.tool_calls) && answer.tool_calls.length > 0 ? 'tool_calls' : 'unknown';
}
