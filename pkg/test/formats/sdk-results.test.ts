// What the AI SDK, LangChain and in-browser models say of a call: usage, replies, errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aiSdkModel } from '../../src/formats/ai-sdk/model.js';
import { aiSdkUi } from '../../src/formats/ai-sdk/ui.js';
import { langchain } from '../../src/formats/langchain/langchain.js';
import { openaiChat } from '../../src/formats/openai/openai-chat.js';

const prompt = (reader: { usage(source: unknown): { promptTokens: number } | undefined }, source: unknown): number | undefined => reader.usage(source)?.promptTokens;
const usage = (inputTokens: number, more: object = {}) => ({ inputTokens, outputTokens: 7, totalTokens: inputTokens + 7, ...more });

test('the AI SDK\'s occupancy is that of the last step in every version, never the sum over steps', () => {
  const steps = [{ usage: usage(100) }, { usage: usage(180) }];
  const sum = usage(280);
  const cases: [string, unknown, number | undefined][] = [
    ['a result of version 7', { usage: sum, totalUsage: sum, steps, finalStep: steps[1] }, 180],
    ['a result of versions 5 and 6', { usage: usage(180), totalUsage: sum, steps }, 180],
    ['the end of a stream, which has only the sum', { type: 'finish', totalUsage: sum }, undefined],
    ['a sum that stands beside a usage of unknown meaning', { usage: sum, totalUsage: sum }, undefined],
    ['a run without a step', { usage: sum, steps: [] }, undefined],
    ['a step', steps[1], 180],
    ['the end of a step in a stream', { type: 'finish-step', usage: usage(180) }, 180],
    ['a usage', usage(180), 180],
    ['a usage of version 4', { promptTokens: 180, completionTokens: 7, totalTokens: 187 }, 180],
    ['what a host knows itself', { promptTokens: 180 }, 180],
    ['a provider\'s count, the cache inside', { usage: { inputTokens: { total: 180, noCache: 20, cacheRead: 150, cacheWrite: 10 }, outputTokens: { total: 7 } } }, 180],
    ['a provider\'s count in parts', { usage: { inputTokens: { total: undefined, noCache: 20, cacheRead: 150, cacheWrite: 10 }, outputTokens: {} } }, 180],
    ['a provider that counts nothing', { usage: { inputTokens: { total: undefined }, outputTokens: {} } }, undefined],
    ['a usage with the cache inside', usage(180, { inputTokenDetails: { noCacheTokens: 30, cacheReadTokens: 150, cacheWriteTokens: 0 } }), 180],
    ['a cache that cannot be inside', usage(30, { cachedInputTokens: 150 }), undefined],
    ['version 5 with Anthropic, the cache beside', { usage: usage(30, { cachedInputTokens: 20 }), providerMetadata: { anthropic: { usage: { input_tokens: 30, cache_read_input_tokens: 140, cache_creation_input_tokens: 10 } } } }, 180],
    ['a count above its total', { inputTokens: 180, totalTokens: 90 }, undefined],
    ['nothing counted', { inputTokens: undefined, outputTokens: undefined }, undefined],
    ['zero, which is no count', usage(0), undefined],
  ];
  for (const [name, source, expected] of cases) for (const reader of [aiSdkModel, aiSdkUi]) assert.equal(prompt(reader, source), expected, name);
});

test('the promises of a stream are not looked at, since that would start it', () => {
  let touched = 0;
  const stream = {
    get textStream() {
      return touched++;
    },
    get finalStep() {
      return touched++;
    },
    get usage() {
      return touched++;
    },
    get text() {
      return touched++;
    },
  };
  assert.deepEqual([aiSdkModel.usage(stream), aiSdkModel.reply(stream).text, touched], [undefined, '', 0]);
});

test('a usage in a UI message\'s metadata is taken where it can only be that of one call', () => {
  const message = (steps: number, metadata: unknown) => ({ id: 'm', role: 'assistant', metadata, parts: Array.from({ length: steps }, () => ({ type: 'step-start' })) });
  assert.equal(prompt(aiSdkUi, message(1, { usage: usage(180) })), 180);
  assert.equal(prompt(aiSdkUi, message(0, { usage: usage(180) })), 180);
  assert.equal(prompt(aiSdkUi, message(3, { usage: usage(540) })), undefined, 'this may be the sum over three steps');
  assert.equal(prompt(aiSdkUi, message(3, { finalStep: { usage: usage(180) } })), 180);
  assert.equal(prompt(aiSdkUi, message(1, { totalUsage: usage(180) })), undefined);
  assert.equal(prompt(aiSdkUi, message(1, undefined)), undefined);
});

test('the AI SDK\'s replies give their text without reasoning, and how they ended', () => {
  const cases: [unknown, string, string][] = [
    [{ text: 'a', finishReason: 'stop', usage: usage(9) }, 'a', 'stop'],
    [{ text: 'a', finishReason: 'length' }, 'a', 'length'],
    [{ text: '', reasoningText: 'hm', finishReason: 'stop' }, '', 'stop'],
    [{ text: 'x', finishReason: 'content-filter' }, 'x', 'refusal'],
    [{ text: '', finishReason: 'tool-calls' }, '', 'tool_calls'],
    [{ text: 'a', finishReason: { unified: 'length', raw: 'max_tokens' } }, 'a', 'length'],
    [{ content: [{ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'a' }, { type: 'text', text: 'b' }], finishReason: { unified: 'stop' } }, 'ab', 'stop'],
    [{ id: 'm', role: 'assistant', parts: [{ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'a' }] }, 'a', 'unknown'],
    ['plain', 'plain', 'unknown'],
    [{ choices: [{ message: { content: 'from a provider' }, finish_reason: 'stop' }] }, 'from a provider', 'stop'],
    [undefined, '', 'unknown'],
  ];
  for (const [reply, text, finish] of cases) assert.deepEqual([aiSdkModel.reply(reply).text, aiSdkModel.reply(reply).finish], [text, finish], JSON.stringify(reply));
  assert.equal(aiSdkModel.reply({ text: 'a', usage: usage(180) }).usage?.promptTokens, 180);
});

test('LangChain\'s input tokens are all input, the cache inside; a count beside its cache is read from the provider', () => {
  const metadata = { input_tokens: 180, output_tokens: 7, total_tokens: 187 };
  const beside = { input_tokens: 30, output_tokens: 7, total_tokens: 37, input_token_details: { cache_read: 140, cache_creation: 10 } };
  const raw = { usage: { input_tokens: 30, cache_read_input_tokens: 140, cache_creation_input_tokens: 10 } };
  const cases: [string, unknown, number | undefined][] = [
    ['an answer', { type: 'ai', content: 'a', usage_metadata: metadata }, 180],
    ['an answer in stored form', { lc: 1, id: ['AIMessage'], kwargs: { content: 'a', usage_metadata: metadata } }, 180],
    ['the usage alone', metadata, 180],
    ['the cache inside', { type: 'ai', content: 'a', usage_metadata: { ...metadata, input_token_details: { cache_read: 150 } } }, 180],
    ['the cache beside, with what the provider said', { type: 'ai', content: 'a', usage_metadata: beside, response_metadata: raw }, 180],
    ['the cache beside, and nothing else known', { type: 'ai', content: 'a', usage_metadata: beside }, undefined],
    ['only what the provider said', { type: 'ai', content: 'a', usage_metadata: null, response_metadata: { tokenUsage: { promptTokens: 180 } } }, 180],
    ['the same, as Python names it', { type: 'ai', content: 'a', response_metadata: { token_usage: { prompt_tokens: 180 } } }, 180],
    ['an agent\'s state', { messages: [{ type: 'ai', content: 'a', usage_metadata: { input_tokens: 90 } }, { type: 'ai', content: 'b', usage_metadata: metadata }, { type: 'human', content: 'c' }] }, 180],
    ['a state whose last answer has none', { messages: [{ type: 'ai', content: 'a', usage_metadata: metadata }, { type: 'ai', content: 'b' }] }, undefined],
    ['a piece of a stream of messages', [{ type: 'AIMessageChunk', content: '', usage_metadata: metadata }, { langgraph_node: 'agent' }], 180],
    ['what a host knows itself', { promptTokens: 180 }, 180],
    ['nothing', { type: 'ai', content: 'a' }, undefined],
  ];
  for (const [name, source, expected] of cases) assert.equal(prompt(langchain, source), expected, name);
});

test('LangChain\'s answers give their text without reasoning, and how they ended', () => {
  const answer = (content: unknown, more: object = {}) => ({ type: 'ai', content, ...more });
  const cases: [unknown, string, string][] = [
    [answer('a', { response_metadata: { finish_reason: 'stop' } }), 'a', 'stop'],
    [answer([{ type: 'reasoning', reasoning: 'hm' }, { type: 'text', text: 'a' }], { response_metadata: { stop_reason: 'max_tokens' } }), 'a', 'length'],
    [answer('a', { response_metadata: { finishReason: 'MAX_TOKENS' } }), 'a', 'length'],
    [answer('a', { response_metadata: { finishReason: 'SAFETY' } }), 'a', 'refusal'],
    [answer('', { additional_kwargs: { refusal: 'no' } }), '', 'refusal'],
    [answer('', { tool_calls: [{ id: 'c', name: 'f', args: {} }] }), '', 'tool_calls'],
    [{ messages: [answer('a'), answer('b')] }, 'b', 'unknown'],
    [{ lc: 1, id: ['AIMessage'], kwargs: { content: 'a' } }, 'a', 'unknown'],
    ['plain', 'plain', 'unknown'],
  ];
  for (const [reply, text, finish] of cases) assert.deepEqual([langchain.reply(reply).text, langchain.reply(reply).finish], [text, finish], JSON.stringify(reply));
});

test('WebLLM counts what it read anew, which is no reading; its timings give it away', () => {
  const counted = { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 };
  assert.equal(openaiChat.usage({ usage: { ...counted, extra: { prefill_tokens_per_s: 80.5, decode_tokens_per_s: 9 } } }), undefined);
  assert.equal(prompt(openaiChat, { usage: { ...counted, extra: { note: 1 } } }), 12);
});

test('an overflow is recognised in the errors of the AI SDK, LangChain and WebLLM, with its limit', () => {
  const body = '{"error":{"message":"This model\'s maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens.","code":"context_length_exceeded"}}';
  const call = Object.assign(new Error('Bad Request'), { name: 'AI_APICallError', statusCode: 400, responseBody: body, isRetryable: false });
  assert.deepEqual(aiSdkModel.overflow(call), { limit: 8_192 });
  assert.deepEqual(aiSdkModel.overflow(Object.assign(new Error('Failed after 3 attempts'), { name: 'AI_RetryError', lastError: call })), { limit: 8_192 });
  const told = new Error('prompt is too long: 213462 tokens > 200000 maximum');
  assert.deepEqual(langchain.overflow(Object.assign(new Error("Input exceeded the model's context window."), { name: 'ContextOverflowError', cause: told })), { limit: 200_000 });
  assert.deepEqual(langchain.overflow(Object.assign(new Error('failed'), { lc_error_code: 'CONTEXT_OVERFLOW' })), { limit: undefined });
  const webLlm = 'Prompt tokens exceed context window size: number of prompt tokens: 5121; context window size: 4096\nConsider shortening the prompt';
  assert.deepEqual(openaiChat.overflow(new Error(webLlm)), { limit: 4_096 }, 'also where a worker hands over the text alone');
});

test('a rate limit behind the AI SDK\'s retries is one, with the wait that the server stated', () => {
  const last = Object.assign(new Error('slow down'), { name: 'AI_APICallError', statusCode: 429, responseHeaders: { 'retry-after': '20' } });
  const failure = aiSdkModel.failure(Object.assign(new Error('Failed after 3 attempts'), { name: 'AI_RetryError', lastError: last, errors: [last] }), 0);
  assert.deepEqual(failure, { failureClass: 'rate_limit', retryAfterMs: 20_000 });
});
