// A failing summariser, provider or store never reaches the conversation, and never costs it a message.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Summarize } from 'compaction-governor';
import { openHost, turn, type Host } from './host.js';
import { completion } from './scripted-model.js';

/** Turns until the model that writes summaries was asked, or `most` turns. */
async function untilAsked(host: Host, asked: () => number, most = 14): Promise<void> {
  for (let i = 0; i < most && asked() === 0; i++) await turn(host, 300);
}

test('a summariser that fails costs no message, and is not asked again until its cooldown is over', async () => {
  let asked = 0;
  const summarize: Summarize = async () => {
    asked++;
    throw Object.assign(new Error('down'), { status: 500 });
  };
  const host = openHost({}, { summarize });
  await untilAsked(host, () => asked);
  const { messages } = await host.session.prepare(host.messages);
  assert.equal(messages.length, host.messages.length);
  await turn(host, 50);
  await turn(host, 50);
  assert.equal(asked, 1);
  const decision = host.session.explain();
  assert.ok(decision.action === 'blocked' && decision.reason === 'cooldown' && (decision.retryAt ?? 0) > Date.now(), decision.sentence);
});

for (const [name, reply] of Object.entries({ empty: '', 'cut off': completion('Goal: half a', 900, 'length'), refused: completion('x', 900, 'content_filter'), 'an error text': 'Error: 500 internal server error' })) {
  test(`a summary that is ${name} is not used: history stays as it was`, async () => {
    let asked = 0;
    const host = openHost({}, { summarize: async () => (asked++, reply instanceof Response ? JSON.parse(await reply.clone().text()) : reply) });
    await untilAsked(host, () => asked);
    const { messages } = await host.session.prepare(host.messages);
    assert.deepEqual([asked, messages.length, host.session.history().length], [1, host.messages.length, 0]);
  });
}

test('without a summariser a due compaction is refused by name and the chat goes on', async () => {
  const { session } = openHost({}, { summarize: [] });
  const messages = Array.from({ length: 12 }, (_, i) => ({ role: i % 2 ? ('assistant' as const) : ('user' as const), content: 'lorem ipsum '.repeat(90) }));
  const step = await session.prepare(messages);
  assert.equal(step.messages.length, 12);
  const result = await session.compact(messages);
  assert.ok(result.status === 'failed' && result.error.code === 'no_summarizer', JSON.stringify(result));
});

test('an opted-in failure class is stood in for by a plain summary', async () => {
  const host = openHost({}, { summarize: () => Promise.reject(Object.assign(new Error(), { status: 504 })), fallback: ['timeout'] });
  for (let i = 0; i < 14 && host.session.history().length === 0; i++) await turn(host, 300);
  assert.equal(host.session.history().length, 1);
  const { messages } = await host.session.prepare(host.messages);
  assert.ok(messages.length < host.messages.length);
});

test('a refused prompt teaches the window, is compacted and sent once more', async () => {
  const host = openHost({ window: 2_500 }, { contextWindow: 128_000 });
  for (let i = 0; i < 8; i++) await turn(host, 350);
  const refused = host.model.of('large').filter(({ messages }) => host.model.count(messages) > 2_500);
  assert.equal(refused.length, 1, 'the second threshold is the learned one');
  assert.equal(host.session.getSnapshot().windowTokens, 2_500);
  assert.equal(host.messages.length, 16, 'each turn was answered');
});

test('an overflow that nothing can shrink is rethrown after one call, as it came', async () => {
  const host = openHost({ window: 500 }, { contextWindow: 128_000 });
  host.messages.push({ role: 'user', content: 'x'.repeat(8_000) });
  await assert.rejects(host.session.run(host.messages, (view) => host.complete('large', view)), /HTTP 400/);
  assert.equal(host.model.of('large').length, 1, 'the same prompt is not paid for twice');
});

test('an error that is no overflow is rethrown at once', async () => {
  const host = openHost();
  const error = new Error('offline');
  let calls = 0;
  await assert.rejects(host.session.run([{ role: 'user', content: 'hi' }], async () => { calls++; throw error; }), error);
  assert.equal(calls, 1);
});

test('a step reports once, whatever is called how often', async () => {
  const host = openHost();
  await turn(host, 100);
  const step = await host.session.prepare(host.messages);
  await step.done({ promptTokens: 700 });
  await step.done({ promptTokens: 3_900 });
  assert.equal(host.session.getSnapshot().usedTokens, 700);
});

test('a streamed reply is metered without a word from the host', async () => {
  const host = openHost();
  host.messages.push({ role: 'user', content: 'hi' });
  const body = { model: 'large', messages: host.messages, stream: true };
  const response = await host.session.run(host.messages, () => host.model.fetch('', { body: JSON.stringify(body) }));
  const text = await response.text();
  assert.ok(text.endsWith('data: [DONE]\n\n'));
  await new Promise((resolve) => setTimeout(resolve, 5));
  const { confidence, usedTokens } = host.session.getSnapshot();
  assert.deepEqual([confidence, usedTokens], ['reported', host.model.count(host.messages)]);
});

test('passes that do not help are stopped after two, and the session says so', async () => {
  const fixedParts = [300, 4_900, 6_400];
  let passes = 0;
  const overhead = () => fixedParts[passes] ?? 0;
  const host = openHost({ overhead }, { contextWindow: 8_192, summarize: async () => (passes++, 'Goal: go on. All earlier messages were answered. Nothing is open.') });
  for (let i = 0; i < 60 && host.session.explain().action !== 'blocked'; i++) await turn(host, 150);
  const decision = host.session.explain();
  assert.equal(passes, 2);
  assert.ok(decision.action === 'blocked' && decision.reason === 'ineffective' && (decision.retryAt ?? 0) > Date.now(), decision.sentence);
  const { phase, wakeAt } = host.session.getSnapshot();
  assert.deepEqual([phase, typeof wakeAt], ['blocked', 'number']);
});

test('an attempt whose slice the host took away ends by name, whichever way it is ended', async () => {
  for (const end of ['commit', 'commitPlain', 'fail', 'cancel', 'renew'] as const) {
    const host = openHost();
    for (let i = 0; i < 6; i++) await turn(host, 300);
    const plan = await host.session.advanced.plan({ trigger: 'manual' });
    assert.ok('request' in plan);
    host.session.advanced.observe([{ role: 'user', content: 'another branch' }]);
    const result = await plan[end]('Goal: test. All earlier messages were answered. Next: go on.');
    if (typeof result === 'object') assert.equal(result.status, 'failed', end);
    const { messages } = await host.session.prepare(host.messages);
    assert.equal(messages.length, host.messages.length, 'the conversation goes on');
  }
});

test('new credentials end the pause that the old ones earned, and a reset ends any', async () => {
  for (const end of ['credentialsChanged', 'reset'] as const) {
    const host = openHost({}, { summarize: () => Promise.reject({ status: 401 }) });
    for (let i = 0; i < 60 && host.session.explain().action !== 'blocked'; i++) await turn(host, 150);
    const paused = host.session.explain();
    assert.ok(paused.action === 'blocked' && paused.reason === 'cooldown', paused.sentence);
    await host.session.advanced[end]();
    assert.equal(host.session.explain().action, 'compact', end);
  }
});

// The fault: a person who left while a summary was written was counted as a summariser that timed out.
// What it cost: a cooldown of a minute, then five, then fifteen, for a summariser that was well.
// What now holds: the attempt ends without a failure, and the next call may start one at once.
test('a host that gives up while a summary is written leaves no cooldown', async () => {
  const leaving = new AbortController();
  const host = openHost({}, { summarize: () => new Promise(() => leaving.abort()) });
  for (let i = 0; i < 6; i++) await turn(host, 300);
  const result = await host.session.compact(host.messages, { signal: leaving.signal });
  assert.ok(result.status === 'failed' && result.error.code === 'cancelled' && result.retryAt === undefined);
  const decision = host.session.explain();
  assert.notEqual(decision.action, 'wait');
  const plan = await host.session.advanced.plan({ trigger: 'manual' });
  assert.ok('request' in plan, 'the attempt is over');
});

test('an attempt that has ended is not ended twice', async () => {
  const host = openHost();
  for (let i = 0; i < 6; i++) await turn(host, 300);
  const plan = await host.session.advanced.plan({ trigger: 'manual' });
  assert.ok('request' in plan);
  assert.equal(await host.session.advanced.resume(plan.compactionId), plan);
  const summary = 'Goal: test. All earlier messages were answered. Next: go on.';
  assert.equal((await plan.commit(summary)).status, 'committed');
  assert.equal((await plan.commitPlain()).status, 'failed');
  assert.equal(await plan.renew(), false);
  assert.equal(await host.session.advanced.resume(plan.compactionId), undefined);
  assert.equal(host.session.history().length, 1);
});
