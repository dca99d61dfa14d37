// What the AI SDK (versions 4 to 7) says of a call: usage, reply and finish.

import { countAt, fieldsAt, isFields, textAt, type Fields } from '../shape/json.js';
import type { Reply, Usage } from '../reader.js';
import { finishFrom, readReply } from '../answers/reply.js';
import { readUsage } from '../answers/usage.js';

/**
 * Reads the result of `generateText`, a step, a stream part, a provider's result, a UI message with the usage in its
 * metadata, a usage, or `{ promptTokens }`. Occupancy is that of the last step: the sum over all steps, which version 7
 * calls `usage` and all versions `totalUsage`, is none.
 */
export function readAiSdkUsage(source: unknown): Usage | undefined {
  const step = lastStep(source);
  if (!step) return undefined;
  const usage = fieldsAt(step, 'usage') ?? step;
  if (usage.inputTokens === undefined) return readUsage(usage);
  const promptTokens = wholeInput(usage, step);
  if (!promptTokens) return undefined;
  return { promptTokens, outputTokens: countAt(usage, 'outputTokens') ?? countAt(fieldsAt(usage, 'outputTokens'), 'total') ?? 0 };
}

/** Reads the same results, and strings. */
export function readAiSdkReply(reply: unknown): Reply {
  if (!isFields(reply)) return readReply(reply);
  if (isStream(reply)) return { text: '', finish: 'unknown', usage: undefined };
  const text = textAt(reply, 'text') ?? textOf(reply.content) ?? textOf(reply.parts);
  if (text === undefined) return readReply(reply);
  const reason = textAt(reply, 'finishReason') ?? textAt(fieldsAt(reply, 'finishReason'), 'unified');
  return { text, finish: finishFrom(reason), usage: readAiSdkUsage(reply) };
}

/** The part of `source` that speaks of one model call, the last one; `undefined` where only a sum is known. */
function lastStep(source: unknown): Fields | undefined {
  if (!isFields(source) || isStream(source)) return undefined;
  if (Array.isArray(source.parts)) return ofMessage(source.parts, source.metadata);
  const final = fieldsAt(source, 'finalStep');
  if (final) return final;
  if (Array.isArray(source.steps)) return lastOf(source.steps);
  return source.totalUsage === undefined ? source : undefined;
}

/** A host that notes a usage in a message of several steps may have noted their sum: only a step's own is then taken. */
function ofMessage(parts: readonly unknown[], metadata: unknown): Fields | undefined {
  const steps = parts.filter((part) => textAt(part, 'type') === 'step-start').length;
  const inSteps = isFields(metadata) && (isFields(metadata.finalStep) || Array.isArray(metadata.steps));
  return steps <= 1 || inSteps ? lastStep(metadata) : undefined;
}

function lastOf(steps: readonly unknown[]): Fields | undefined {
  const last = steps.at(-1);
  return isFields(last) ? last : undefined;
}

/** Looking at the promises of a stream would start it. */
function isStream(result: Fields): boolean {
  return 'textStream' in result;
}

/** The input with its cached part. Providers state `{ total, noCache, cacheRead, cacheWrite }`, everything above them a number. */
function wholeInput(usage: Fields, step: Fields): number | undefined {
  const parts = fieldsAt(usage, 'inputTokens');
  if (parts) return countAt(parts, 'total') ?? sumOf(parts);
  const details = fieldsAt(usage, 'inputTokenDetails');
  const besideItsCache = details ? undefined : fieldsAt(fieldsAt(fieldsAt(step, 'providerMetadata'), 'anthropic'), 'usage');
  // Version 5 passed Anthropic's count on as it was, without the cache.
  if (besideItsCache) return readUsage(besideItsCache)?.promptTokens;
  const input = countAt(usage, 'inputTokens');
  const cached = countAt(usage, 'cachedInputTokens') ?? countAt(details, 'cacheReadTokens') ?? 0;
  const holds = input !== undefined && cached <= input && input <= (countAt(usage, 'totalTokens') ?? input);
  return holds ? input : undefined;
}

function sumOf(parts: Fields): number | undefined {
  const fresh = countAt(parts, 'noCache');
  return fresh === undefined ? undefined : fresh + (countAt(parts, 'cacheRead') ?? 0) + (countAt(parts, 'cacheWrite') ?? 0);
}

/** The text parts only: reasoning is no reply. */
function textOf(parts: unknown): string | undefined {
  if (!Array.isArray(parts)) return undefined;
  return parts.map((part: unknown) => (textAt(part, 'type') === 'text' ? (textAt(part, 'text') ?? textAt(part, 'content') ?? '') : '')).join('');
}
