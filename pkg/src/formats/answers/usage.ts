// What a provider counted, whatever it calls it. A figure that cannot be is no figure: the step then counts as one without usage.

import { countAt, fieldsAt, isFields, type Fields } from '../shape/json.js';
import type { Usage } from '../reader.js';

/** Reads a reply, a stream chunk, a usage object, or `{ promptTokens }`. */
export function readUsage(source: unknown): Usage | undefined {
  if (!isFields(source)) return undefined;
  const usage = fieldsAt(source, 'usage') ?? fieldsAt(fieldsAt(source, 'response'), 'usage') ?? source;
  const promptTokens = wholePrompt(usage);
  if (promptTokens === undefined || promptTokens === 0 || isDelta(usage)) return undefined;
  const total = countAt(usage, 'total_tokens') ?? countAt(usage, 'totalTokens');
  if (total !== undefined && promptTokens > total) return undefined;
  return { promptTokens, outputTokens: outputOf(usage) };
}

function wholePrompt(usage: Fields): number | undefined {
  const stated = countAt(usage, 'promptTokens') ?? countAt(usage, 'prompt_tokens');
  if (stated !== undefined) return holdsItsCache(usage, stated) ? stated : undefined;
  const input = countAt(usage, 'input_tokens');
  if (input === undefined) return undefined;
  // Anthropic counts cache reads and writes beside the input, everyone else inside it.
  return input + (countAt(usage, 'cache_read_input_tokens') ?? 0) + (countAt(usage, 'cache_creation_input_tokens') ?? 0);
}

/** Proxies have reported the uncached rest as the prompt; that says nothing about the prompt. */
function holdsItsCache(usage: Fields, prompt: number): boolean {
  const cached = countAt(fieldsAt(usage, 'prompt_tokens_details'), 'cached_tokens');
  return cached === undefined || cached <= prompt;
}

/** WebLLM counts what it had to read anew; its timings tell its usage from others. */
function isDelta(usage: Fields): boolean {
  return typeof fieldsAt(usage, 'extra')?.prefill_tokens_per_s === 'number';
}

function outputOf(usage: Fields): number {
  return countAt(usage, 'completion_tokens') ?? countAt(usage, 'output_tokens') ?? countAt(usage, 'outputTokens') ?? 0;
}
