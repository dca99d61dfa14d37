import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readFailure } from '../src/formats/answers/failure.js';
import { readOverflow } from '../src/formats/answers/overflow.js';
import { readReply } from '../src/formats/answers/reply.js';
import { readUsage } from '../src/formats/answers/usage.js';

const NOW = 1_800_000_000_000;

test('usage is the whole prompt, cache reads included, wherever the provider puts them', () => {
  const cases: [unknown, number][] = [
    [{ usage: { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107, prompt_tokens_details: { cached_tokens: 90 } } }, 100],
    [{ prompt_tokens: 100 }, 100],
    [{ promptTokens: 100 }, 100],
    [{ input_tokens: 100, output_tokens: 3, input_tokens_details: { cached_tokens: 90 } }, 100],
    [{ usage: { input_tokens: 4, cache_read_input_tokens: 90, cache_creation_input_tokens: null } }, 94],
    [{ type: 'response.completed', response: { usage: { input_tokens: 5, total_tokens: 6 } } }, 5],
  ];
  for (const [source, expected] of cases) assert.equal(readUsage(source)?.promptTokens, expected, JSON.stringify(source));
});

test('a figure that cannot be the prompt is no figure', () => {
  const none = [undefined, null, 'text', {}, { usage: null }, { usage: {} }, { prompt_tokens: '100' }, { prompt_tokens: Number.NaN }, { prompt_tokens: -1 }, { prompt_tokens: 0 }, { prompt_tokens: 1.5 }, { prompt_tokens: 2 ** 40 }, { prompt_tokens: 100, total_tokens: 50 }, { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 90 } }];
  for (const source of none) assert.equal(readUsage(source), undefined, JSON.stringify(source));
});

test('a reply gives its text and its end in every shape that is read', () => {
  const choice = (content: unknown, finish_reason = 'stop') => ({ choices: [{ message: { content }, finish_reason }] });
  const cases: [unknown, string, string][] = [
    ['plain', 'plain', 'unknown'],
    [choice('a'), 'a', 'stop'],
    [choice([{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }], 'length'), 'ab', 'length'],
    [choice(null, 'tool_calls'), '', 'tool_calls'],
    [choice('x', 'content_filter'), 'x', 'refusal'],
    [{ choices: [{ message: { content: null, refusal: 'no' }, finish_reason: 'stop' }] }, '', 'refusal'],
    [{ response: 'workers', usage: { prompt_tokens: 3 } }, 'workers', 'unknown'],
    [{ content: [{ type: 'text', text: 'c' }], stop_reason: 'max_tokens' }, 'c', 'length'],
    [{ choices: [] }, '', 'unknown'],
    [7, '', 'unknown'],
  ];
  for (const [reply, text, finish] of cases) assert.deepEqual([readReply(reply).text, readReply(reply).finish], [text, finish], JSON.stringify(reply));
});

const apiError = (status: number, message: string, extra: object = {}) => Object.assign(new Error(`${status} ${message}`), { status, error: { message, ...extra } });

test('a refused prompt is recognised with the window that the server states', () => {
  const cases: [unknown, number | undefined][] = [
    [apiError(400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens.", { code: 'context_length_exceeded' }), 8_192],
    [apiError(400, "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion)."), 16_384],
    [apiError(400, "the model's context length is only 40960 tokens, resulting in a maximum input length of 39960 tokens"), 40_960],
    [apiError(400, 'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it'), 4_096],
    [{ status: 400, body: { error: { type: 'exceed_context_size_error', message: 'too big', n_ctx: 4_096, n_prompt_tokens: 5_000 } } }, 4_096],
    [apiError(400, 'prompt is too long: 213462 tokens > 200000 maximum'), 200_000],
    [apiError(400, 'input length and `max_tokens` exceed context limit: 190000 + 32000 > 204798, decrease input length'), 204_798],
    [apiError(400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."), 131_072],
    [new Error('The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (7968).'), 7_968],
    [apiError(400, 'Your input exceeds the context window of this model.'), undefined],
    [{ status: 400, body: '{"error":{"code":"context_length_exceeded"}}' }, undefined],
    [{ status: 413 }, undefined],
    [apiError(400, "maximum context length is 12 tokens"), undefined],
  ];
  for (const [error, limit] of cases) {
    const found = readOverflow(error);
    if (limit !== undefined) assert.deepEqual(found, { limit }, JSON.stringify(error));
    else assert.ok(found === undefined || found.limit === undefined);
  }
  assert.deepEqual(readOverflow({ status: 413 }), { limit: undefined });
});

test('a rate limit worded like an overflow, and every other refusal, is none', () => {
  const others = [
    apiError(429, 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 45000. Please reduce the length of the messages.', { code: 'rate_limit_exceeded' }),
    new Error('Request too large on tokens per min (TPM): Limit 30000; reduce the length of the messages'),
    apiError(401, 'prompt is too long'),
    apiError(400, 'invalid tool schema'),
    apiError(500, 'overloaded'),
    { status: 400 },
    undefined,
  ];
  for (const error of others) assert.equal(readOverflow(error), undefined, JSON.stringify(error));
});

test('a failure falls into the class that its cure depends on', () => {
  const cases: [unknown, string][] = [
    [apiError(401, 'bad key'), 'auth'],
    [apiError(403, 'no'), 'auth'],
    [apiError(402, 'pay'), 'quota'],
    [apiError(429, 'You exceeded your current quota', { code: 'insufficient_quota' }), 'quota'],
    [apiError(429, 'slow down'), 'rate_limit'],
    [apiError(504, 'late'), 'timeout'],
    [apiError(408, 'late'), 'timeout'],
    [Object.assign(new Error('x'), { name: 'AbortError' }), 'timeout'],
    [Object.assign(new Error('x'), { name: 'TimeoutError' }), 'timeout'],
    [new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'UND_ERR_HEADERS_TIMEOUT' }) }), 'timeout'],
    [Object.assign(new Error(), { code: 'no_summarizer' }), 'no_summarizer'],
    [apiError(500, 'oops'), 'other'],
    [undefined, 'other'],
  ];
  for (const [error, expected] of cases) assert.equal(readFailure(error, NOW).failureClass, expected, String(error));
});

test('retry-after is read in seconds, in milliseconds and as a date', () => {
  const after = (headers: unknown): number => readFailure({ status: 429, headers }, NOW).retryAfterMs;
  assert.equal(after(new Headers({ 'retry-after': '20' })), 20_000);
  assert.equal(after({ 'retry-after': '1.5' }), 1_500);
  assert.equal(after({ 'retry-after-ms': '250', 'retry-after': '9' }), 250);
  assert.equal(after({ 'retry-after': new Date(NOW + 60_000).toUTCString() }), 60_000);
  for (const useless of [{}, { 'retry-after': 'soon' }, { 'retry-after': '-5' }, undefined]) assert.equal(after(useless), 0);
});

test('nothing that is thrown or returned makes a reader throw', () => {
  const shaped = fc.record({ usage: fc.anything(), choices: fc.anything(), status: fc.anything(), headers: fc.jsonValue(), error: fc.anything(), message: fc.anything(), body: fc.anything() }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.oneof(fc.anything(), shaped), (value) => {
      readUsage(value);
      readReply(value);
      readOverflow(value);
      assert.ok(readFailure(value, NOW).retryAfterMs >= 0);
    }),
    { numRuns: 2_000 },
  );
});
