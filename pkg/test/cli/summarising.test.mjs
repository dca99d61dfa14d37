// Whole compactions through the package's public session: a host's session that is scripted, and the real one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chat, filler, lines, pi, say, withFile } from './fixtures.mjs';
import { load } from './load.mjs';
import { decision, stubEngine } from './stub-engine.mjs';
import { events, tool } from './tool.mjs';

const { recognise } = await load('read/recognise.ts');
const { replay } = await load('replay.ts');

/** A session that writes down what it is given, and compacts when a test says so. */
function stubSession(compactsAt = []) {
  const calls = [];
  const session = {
    calls,
    advanced: { observe: () => undefined },
    explain: () => decision(),
    history: () => (calls.filter(([name]) => name === 'prepare').some((_, index) => compactsAt.includes(index)) ? [{ compactionId: 'c1', coversEntries: 1, beforeTokens: 9, summary: 'sum' }] : []),
    on: () => () => undefined,
    close: async () => void calls.push(['close']),
    async prepare(messages) {
      const prepared = calls.filter(([name]) => name === 'prepare').length;
      calls.push(['prepare', messages.map((message) => message.role).join(' '), messages.at(-1)]);
      const compacted = compactsAt.includes(prepared);
      const view = compacted ? [{ role: 'system', content: filler(70) }, ...messages.slice(1)] : messages;
      return { messages: view, compacted, stablePrefix: 0, decision: decision(), done: async (usage) => void calls.push(['done', usage]), failed: async (error) => (calls.push(['failed', error.message]), 'rethrow') };
    },
  };
  return session;
}

async function summarise(content, session, window = 20_000) {
  return await withFile(content, async (path) => {
    const told = [];
    const newSession = (settings) => Object.assign(session, { settings });
    await replay(await recognise(path), { file: path, mode: 'summarize', window, newEngine: () => stubEngine(), newSession }, (event) => told.push(event));
    return { calls: session.calls, told };
  });
}

const named = (calls, name) => calls.filter(([one]) => one === name);
const messages = [chat.user(filler(1_000)), chat.call('t'), chat.result('t', 'r'), chat.answer(filler(100))];

test('each_model_call_prepares_the_messages_before_it_with_their_calls_and_results', async () => {
  const { calls } = await summarise(JSON.stringify(messages), stubSession());
  assert.deepEqual(named(calls, 'prepare').map(([, roles]) => roles), ['user', 'user assistant tool']);
  assert.equal(named(calls, 'prepare')[1][2].tool_call_id, 't');
  assert.deepEqual(named(calls, 'done'), [['done', {}], ['done', {}]]);
  assert.deepEqual(named(calls, 'close'), [['close']]);
});

test('usage_that_is_reported_for_a_view_is_lower_by_what_the_view_left_out', async () => {
  const turns = [[filler(1_000), 11_000], [filler(300), 11_400]];
  const { calls, told } = await summarise(lines([pi.session(), ...turns.flatMap(([text, prompt], index) => [pi.user(index, text), pi.answer(index + 1, [say(filler(100))], prompt, 9)])]), stubSession([1]));
  assert.deepEqual(named(calls, 'done').map(([, usage]) => usage.promptTokens), [11_000, 10_000 + 70 + 400]);
  const [view] = told.filter((event) => event.type === 'view');
  assert.deepEqual([view.messages, view.keptMessages, view.summaryBytes, view.simulated], [3, 2, 245, true]);
  assert.equal(told.at(-1).simulatedPeakPromptTokens, 11_000);
});

test('results_that_were_cleared_instead_of_a_summary_are_an_action_of_their_own', async () => {
  const session = stubSession([1]);
  session.history = () => [{ compactionId: 'old', coversEntries: 1, beforeTokens: 9, summary: 'sum' }];
  session.explain = () => decision({ usedTokens: 900 });
  const { told } = await summarise(JSON.stringify(messages), session);
  const [event] = told.filter(({ type }) => type === 'cleared');
  assert.deepEqual([event.clearedTokens, told.at(-1).cleared, told.at(-1).passes, told.filter(({ type }) => type === 'compaction')], [900, { times: 1, tokens: 900 }, [], []]);
});

test('prompt_above_the_window_is_refused_as_a_provider_would_and_never_reported', async () => {
  const { calls, told } = await summarise(lines([chat.exchange([chat.user(filler(5_000))], chat.answer('a'), 6_000, 1)]), stubSession(), 4_000);
  assert.equal(named(calls, 'done').length, 0);
  assert.match(named(calls, 'failed')[0][1], /maximum context length is 4000 tokens/);
  assert.deepEqual([told.at(-1).overflows, told.find((event) => event.type === 'overflow').gaveUp], [1, true]);
});

test('real_session_compacts_a_growing_recording_and_its_views_shrink', async () => {
  const grown = [chat.system(filler(100))];
  const log = [];
  for (let turn = 0; turn < 12; turn += 1) {
    grown.push(chat.user(filler(900)));
    log.push(chat.exchange([...grown], chat.answer(filler(300)), 1_000 + turn * 1_200, 40));
    grown.push(chat.answer(filler(300)));
  }
  await withFile(lines(log), async (path) => {
    const { code, out, err } = await tool('replay', path, '--summarize', 'scripted', '--window', '10k', '--json');
    assert.deepEqual([code, err], [0, '']);
    const told = events(out);
    const summary = told.at(-1);
    assert.ok(summary.passes.length >= 1 && summary.passes.every(({ verdict, spentTokens }) => verdict !== 'ineffective' && spentTokens > 0), JSON.stringify(summary.passes));
    assert.ok(summary.simulatedPeakPromptTokens < summary.peakPromptTokens);
    for (const view of told.filter((event) => event.type === 'view')) assert.ok(view.keptMessages < 24 && view.summaryBytes > 0 && view.summaryBytes < view.bytes);
  });
});
