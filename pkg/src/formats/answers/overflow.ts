// Was the prompt refused for its length, and which limit did the provider state? Each pattern names the servers that word it so.

import { errorFacts, type ErrorFacts } from './error-facts.js';
import type { Overflow } from '../reader.js';

export function readOverflow(error: unknown): Overflow | undefined {
  const facts = errorFacts(error);
  if (isAnotherRefusal(facts)) return undefined;
  const limit = statedLimit(facts);
  const proven = limit !== undefined || facts.status === 413 || facts.codes.some((code) => CODES.has(code)) || facts.texts.some(saysTooLong);
  return proven ? { limit } : undefined;
}

/** A token-per-minute limit is worded like an overflow ("request too large"), and compacting would not lift it. */
function isAnotherRefusal({ status, codes, texts }: ErrorFacts): boolean {
  if (status === 401 || status === 402 || status === 403 || status === 429) return true;
  return codes.includes('rate_limit_exceeded') || texts.some((text) => /tokens per min|rate limit/i.test(text));
}

function statedLimit({ texts, numbers }: ErrorFacts): number | undefined {
  for (const text of texts) {
    for (const pattern of LIMITS) {
      const limit = plausibleLimit(Number(pattern.exec(text)?.[1]?.replaceAll(',', '')));
      if (limit !== undefined) return limit;
    }
  }
  return plausibleLimit(numbers.get('n_ctx'));
}

export function plausibleLimit(limit: number | undefined): number | undefined {
  return limit !== undefined && Number.isInteger(limit) && limit >= LEAST_WINDOW && limit <= MOST_WINDOW ? limit : undefined;
}

function saysTooLong(text: string): boolean {
  return TOO_LONG.some((pattern) => pattern.test(text));
}

const CODES = new Set(['context_length_exceeded', 'exceed_context_size_error', 'model_context_window_exceeded', 'request_too_large', 'ContextWindowSizeExceededError', 'ContextOverflowError', 'CONTEXT_OVERFLOW']);

const LIMITS = [
  /maximum context length (?:is|of) ([\d,]+)/i, // OpenAI, vLLM, OpenRouter, DeepSeek
  /context length is only ([\d,]+)/i, // vLLM
  /maximum prompt length is ([\d,]+)/i, // xAI
  /prompt is too long: [\d,]+ tokens > ([\d,]+)/i, // Anthropic
  /exceed context limit: [\d,]+ \+ [\d,]+ > ([\d,]+)/i, // Anthropic, with max_tokens
  /available context size \(([\d,]+) tokens\)/i, // llama.cpp
  /exceed context window of ([\d,]+)/i, // llama-cpp-python
  /maximum number of tokens allowed \(?([\d,]+)/i, // Gemini
  /input token count is [\d,]+ but model only supports up to ([\d,]+)/i, // Vertex AI
  /context window limit \(([\d,]+)\)/i, // Workers AI
  /exceed context window size: [^;]*; context window size: ([\d,]+)/i, // WebLLM
];

const TOO_LONG = [
  /context[_ ]length[_ ]exceeded/i,
  /exceed(?:s|ed)? (?:the|this|your) (?:model'?s? )?(?:context|maximum context)/i, // OpenAI, Workers AI
  /prompt is too long/i, // Anthropic
  /exceeds the available context size/i, // llama.cpp
  /greater than the context length/i, // LM Studio
  /reduce the length of (?:the|your) (?:messages|prompt|input)/i, // Groq, vLLM
  /input is too long for requested model/i, // Bedrock
  /exceeds the maximum number of tokens allowed/i, // Gemini
];

/** The crate's `config::MIN_WINDOW`: below it a "limit" is a misread number. */
const LEAST_WINDOW = 256;
/** Ten times the largest window on offer. */
const MOST_WINDOW = 100_000_000;
