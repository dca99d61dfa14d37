import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { openAiChat } from '../src/formats/openai/openai-chat.js';
import { writeSummary } from '../src/session/write-summary.js';
import type { CompactResult, Plan, Signal, Summarize, SummarizerLimits, SummaryRequest } from '../src/surface.js';

const committed: CompactResult = { status: 'committed', compactionId: 'c', beforeTokens: 2, afterTokens: 1 };

/** A plan that notes how it ended. */
function plan(means: 'model' | 'last_resort' = 'model', late = new AbortController()) {
  const ends: [string, unknown][] = [];
  const end = (name: string) => async (value?: unknown) => {
    ends.push([name, value]);
    return committed;
  };
  const request: SummaryRequest<string> = { mode: 'separate', messages: ['go'], maxTokens: 1, signal: late.signal, compactionId: 'c' };
  const value: Plan<string> = {
    compactionId: 'c', trigger: 'threshold', entries: 1, tokens: 1, promisedTokens: 1, means, deadline: 0,
    request, requestFor: () => request, refusal: async () => undefined,
    commit: end('commit'), commitPlain: end('commitPlain'), fail: end('fail'), cancel: end('cancel'), renew: async () => true,
  };
  return { value, ends, request };
}

/** Summarisers without limits. */
function write(plan: Plan<string>, summarize: readonly Summarize<string>[], signal: Signal | undefined): Promise<CompactResult> {
  return writeSummary(plan, summarize.map((one) => ({ summarize: one })), signal);
}

const classOf = (error: unknown): string => openAiChat().failure(error, 0).failureClass;

test('summarisers are asked in order inside one attempt, and the first answer is committed as it is', async () => {
  const { value, ends } = plan();
  const reply = { choices: [] };
  await write(value, [() => { throw new Error('sync'); }, () => Promise.reject(new Error('async')), async () => reply, async () => 'never asked'], undefined);
  assert.deepEqual(ends, [['commit', reply]]);
});

test('the last failure ends the attempt, and no summariser at all is a class of its own', async () => {
  const failing = plan();
  await write(failing.value, [() => Promise.reject(new Error('first')), () => Promise.reject({ status: 401 })], undefined);
  assert.equal(classOf(failing.ends[0]?.[1]), 'auth');
  const none = plan();
  await write(none.value, [], undefined);
  assert.deepEqual([none.ends[0]?.[0], classOf(none.ends[0]?.[1])], ['fail', 'no_summarizer']);
});

test('a summariser that hangs is told to stop and counts as a timeout', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const { value, ends } = plan();
  let told = false;
  const ended = write(value, [({ signal }) => new Promise(() => signal.addEventListener('abort', () => (told = true)))], undefined);
  mock.timers.tick(120_000);
  await ended;
  mock.timers.reset();
  assert.deepEqual([told, ends[0]?.[0], classOf(ends[0]?.[1])], [true, 'fail', 'timeout']);
});

test("the attempt's deadline ends the wait as a timeout, the host's own signal as given up", async () => {
  const late = new AbortController();
  const slow = plan('model', late);
  let asked = 0;
  const ended = write(slow.value, [() => new Promise(() => undefined), async () => (asked += 1)], undefined);
  late.abort();
  await ended;
  assert.equal(asked, 0, 'nobody is asked after the time is up');
  assert.deepEqual([slow.ends[0]?.[0], classOf(slow.ends[0]?.[1])], ['fail', 'timeout']);
  const host = new AbortController();
  const left = plan();
  const leaving = write(left.value, [() => new Promise(() => undefined), async () => assert.fail('asked after the host had left')], host.signal);
  host.abort();
  await leaving;
  assert.deepEqual(left.ends, [['cancel', undefined]]);
});

test('a Response from fetch is read, and its refusal is a failure with its status', async () => {
  const good = plan();
  await write(good.value, [async () => Response.json({ response: 'text' })], undefined);
  assert.deepEqual(good.ends, [['commit', { response: 'text' }]]);
  const bad = plan();
  await write(bad.value, [async () => new Response('', { status: 429, headers: { 'retry-after': '3' } })], undefined);
  assert.deepEqual(openAiChat().failure(bad.ends[0]?.[1], 0), { failureClass: 'rate_limit', retryAfterMs: 3_000 });
});

test('the last resort asks no model', async () => {
  const { value, ends } = plan('last_resort');
  await write(value, [async () => assert.fail('asked')], undefined);
  assert.deepEqual(ends, [['commitPlain', undefined]]);
});

test('each summariser is asked for by its own limits', async () => {
  const { value, request } = plan();
  const asked: SummarizerLimits[] = [];
  const limited: Plan<string> = { ...value, requestFor: (limits) => (asked.push(limits), request) };
  const fails = () => Promise.reject(new Error('down'));
  await writeSummary(limited, [{ summarize: fails, contextWindow: 8_192 }, { summarize: async () => 'text', maxOutputTokens: 500, ownModel: true }], undefined);
  assert.deepEqual(asked.map(({ contextWindow, maxOutputTokens, ownModel }) => [contextWindow, maxOutputTokens, ownModel]), [[8_192, undefined, undefined], [undefined, 500, true]]);
});

test('a long slice is asked for part by part, the attempt renewed between them, until the last reply ends it', async () => {
  const { value, request } = plan();
  const replies: unknown[] = [];
  let renewed = 0;
  const parts: Plan<string> = {
    ...value,
    commit: async (reply) => (replies.push(reply) < 3 ? { status: 'unfinished', request: { ...request, messages: [`part ${replies.length}`] } } : committed),
    renew: async () => (renewed++, true),
  };
  const end = await write(parts, [async ({ messages }) => `of ${messages[0]}`], undefined);
  assert.deepEqual([end, replies, renewed], [committed, ['of go', 'of part 1', 'of part 2'], 2]);
});

test('what one summariser wrote and would be refused is left to the next, and to the last one the verdict', async () => {
  const { value, ends } = plan();
  const picky: Plan<string> = { ...value, refusal: async (reply) => (reply === 'bad' ? { code: 'empty', message: 'the summariser wrote nothing' } : undefined) };
  await write(picky, [async () => 'bad', async () => 'good'], undefined);
  await write(picky, [async () => 'bad'], undefined);
  assert.deepEqual(ends, [['commit', 'good'], ['commit', 'bad']]);
});

test('an attempt that another tab has taken over asks for no further part, and ends as overtaken', async () => {
  const { value, ends, request } = plan();
  const parts: Plan<string> = { ...value, commit: async () => ({ status: 'unfinished', request }), renew: async () => false };
  let asked = 0;
  const end = await write(parts, [async () => `part ${(asked += 1)}`, async () => assert.fail('asked')], undefined);
  assert.ok(end.status === 'failed' && end.error.code === 'superseded');
  assert.deepEqual([asked, ends], [1, [['cancel', undefined]]]);
});
