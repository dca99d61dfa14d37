// What the OpenAI Responses API answers, and what the Agents SDK keeps of it.

import type { Finish } from '../../boundary/glue.js';
import { countAt, fieldsAt, isFields, textAt, type Fields } from '../shape/json.js';
import type { Reply, Usage } from '../reader.js';
import { readReply } from '../answers/reply.js';
import { readUsage } from '../answers/usage.js';

/**
 * Reads a response, the event that completes one, a usage object, or a run of the Agents SDK, whose own totals add up all
 * its calls. What compacting cost says nothing about the next prompt.
 */
export function responsesUsage(source: unknown): Usage | undefined {
  if (textAt(source, 'object') === 'response.compaction') return undefined;
  const last = lastOf(source, 'rawResponses');
  const usage = fieldsAt(last ?? source, 'usage') ?? last ?? source;
  const entries = isFields(usage) ? usage.requestUsageEntries : undefined;
  if (Array.isArray(entries) && entries.length > 0) return ofAgent(entries.filter((entry) => textAt(entry, 'endpoint') !== 'responses.compact').at(-1));
  const requests = countAt(usage, 'requests');
  if (requests === undefined) return readUsage(last ?? source);
  return requests === 1 ? ofAgent(usage) : undefined;
}

function ofAgent(usage: unknown): Usage | undefined {
  return readUsage({ input_tokens: countAt(usage, 'inputTokens'), output_tokens: countAt(usage, 'outputTokens'), total_tokens: countAt(usage, 'totalTokens') });
}

export function responsesReply(reply: unknown): Reply {
  const response = lastOf(reply, 'rawResponses') ?? fieldsAt(reply, 'response') ?? reply;
  const output = isFields(response) ? response.output : undefined;
  if (!Array.isArray(output)) return { ...readReply(response), usage: responsesUsage(reply) };
  return { text: textOf(output), finish: finishOf(response, output), usage: responsesUsage(reply) };
}

function textOf(output: readonly unknown[]): string {
  return output.flatMap((item) => (isMessage(item) && Array.isArray(item.content) ? item.content : [])).map((part: unknown) => textAt(part, 'text') ?? '').join('');
}

function finishOf(response: unknown, output: readonly unknown[]): Finish {
  const reason = textAt(fieldsAt(response, 'incomplete_details'), 'reason');
  if (reason !== undefined) return reason === 'content_filter' ? 'refusal' : 'length';
  if (output.some((item) => isMessage(item) && Array.isArray(item.content) && item.content.some((part: unknown) => textAt(part, 'type') === 'refusal'))) return 'refusal';
  if (output.some((item) => CALLS.test(textAt(item, 'type') ?? ''))) return 'tool_calls';
  return textAt(response, 'status') === 'completed' || textAt(response, 'status') === undefined ? 'stop' : 'unknown';
}

function isMessage(item: unknown): item is Fields {
  return isFields(item) && (item.type === 'message' || item.type === undefined) && item.role !== 'user';
}

function lastOf(source: unknown, key: string): unknown {
  const list = isFields(source) ? source[key] : undefined;
  return Array.isArray(list) ? list.at(-1) : undefined;
}

/** Calls that the host has to answer. */
const CALLS = /^(?:function|custom_tool|shell|local_shell|apply_patch|computer|tool_search)_call$|^mcp_approval_request$/;
