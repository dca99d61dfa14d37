import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { openAiChat } from '../src/formats/openai-chat.js';
import { writeSummary } from '../src/session/write-summary.js';
import type { CompactResult, Plan } from '../src/surface.js';

const committed: CompactResult = { status: 'committed', compactionId: 'c', beforeTokens: 2, afterTokens: 1 };

/** A plan that notes how it ended. */
function plan(means: 'model' | 'last_resort' = 'model', late = new AbortController()) {
  const ends: [string, unknown][] = [];
  const end = (name: string) => async (value?: unknown) => {
    ends.push([name, value]);
    return committed;
  };
  const value: Plan<string> = {
    compactionId: 'c', trigger: 'threshold', entries: 1, tokens: 1, promisedTokens: 1, means, deadline: 0,
    request: { mode: 'separate', messages: ['go'], maxTokens: 1, signal: late.signal, compactionId: 'c' },
    commit: end('commit'), commitPlain: end('commitPlain'), fail: end('fail'), cancel: end('cancel'), renew: async () => true,
  };
  return { value, ends };
}

const classOf = (error: unknown): string => openAiChat().failure(error, 0).failureClass;

test('summarisers are asked in order inside one attempt, and the first answer is committed as it is', async () => {
  const { value, ends } = plan();
  const reply = { choices: [] };
  await writeSummary(value, [() => { throw new Error('sync'); }, () => Promise.reject(new Error('async')), async () => reply, async () => 'never asked'], undefined);
  assert.deepEqual(ends, [['commit', reply]]);
});

test('the last failure ends the attempt, and no summariser at all is a class of its own', async () => {
  const failing = plan();
  await writeSummary(failing.value, [() => Promise.reject(new Error('first')), () => Promise.reject({ status: 401 })], undefined);
  assert.equal(classOf(failing.ends[0]?.[1]), 'auth');
  const none = plan();
  await writeSummary(none.value, [], undefined);
  assert.deepEqual([none.ends[0]?.[0], classOf(none.ends[0]?.[1])], ['fail', 'no_summarizer']);
});

test('a summariser that hangs is told to stop and counts as a timeout', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const { value, ends } = plan();
  let told = false;
  const ended = writeSummary(value, [({ signal }) => new Promise(() => signal.addEventListener('abort', () => (told = true)))], undefined);
  mock.timers.tick(120_000);
  await ended;
  mock.timers.reset();
  assert.deepEqual([told, ends[0]?.[0], classOf(ends[0]?.[1])], [true, 'fail', 'timeout']);
});

test("the attempt's deadline ends the wait as a timeout, the host's own signal as given up", async () => {
  const late = new AbortController();
  const slow = plan('model', late);
  const ended = writeSummary(slow.value, [() => new Promise(() => undefined)], undefined);
  late.abort();
  await ended;
  assert.deepEqual([slow.ends[0]?.[0], classOf(slow.ends[0]?.[1])], ['fail', 'timeout']);
  const host = new AbortController();
  const left = plan();
  const leaving = writeSummary(left.value, [() => new Promise(() => undefined), async () => assert.fail('asked after the host had left')], host.signal);
  host.abort();
  await leaving;
  assert.deepEqual(left.ends, [['cancel', undefined]]);
});

test('a Response from fetch is read, and its refusal is a failure with its status', async () => {
  const good = plan();
  await writeSummary(good.value, [async () => Response.json({ response: 'text' })], undefined);
  assert.deepEqual(good.ends, [['commit', { response: 'text' }]]);
  const bad = plan();
  await writeSummary(bad.value, [async () => new Response('', { status: 429, headers: { 'retry-after': '3' } })], undefined);
  assert.deepEqual(openAiChat().failure(bad.ends[0]?.[1], 0), { failureClass: 'rate_limit', retryAfterMs: 3_000 });
});

test('the last resort asks no model', async () => {
  const { value, ends } = plan('last_resort');
  await writeSummary(value, [async () => assert.fail('asked')], undefined);
  assert.deepEqual(ends, [['commitPlain', undefined]]);
});
