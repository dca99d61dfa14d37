// What a replay tells the engine, and when. The engine is scripted: its answers are not the subject here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, chat, claude, filler, lines, pi, say, use, withFile } from './fixtures.mjs';
import { load } from './load.mjs';
import { decision, stubEngine } from './stub-engine.mjs';

const { recognise } = await load('read/recognise.ts');
const { replay } = await load('replay.ts');

const time = (seconds) => Date.parse(at(seconds));

async function observe(content, { answer, window } = {}) {
  return await withFile(content, async (path) => {
    const engines = [];
    const events = [];
    const newEngine = () => {
      engines.push(stubEngine(answer));
      return engines.at(-1);
    };
    await replay(await recognise(path), { file: path, mode: 'observe', window, newEngine }, (event) => events.push(event));
    return { calls: engines[0]?.calls ?? [], engines, events };
  });
}

const named = (calls, ...names) => calls.filter(([name]) => names.includes(name));
const typed = (events, type) => events.filter((event) => event.type === type);

test('usage_is_reported_with_the_entries_and_the_time_of_its_own_request', async () => {
  const c = claude();
  const { calls } = await observe(lines([
    c.user(0, 'go'), c.answer(1, 'm1', use('t1'), 1_000, 8), c.result(3, 't1', 'r'), c.answer(4, 'm1', use('t2'), 1_000, 50), c.result(6, 't2', 'r'), c.answer(7, 'm2', say('a'), 1_400, 9),
  ]));
  assert.deepEqual(named(calls, 'reportUsage'), [
    ['reportUsage', 1_000, 0, time(1), 1, time(4)],
    ['reportUsage', 1_400, 0, time(7), 4, time(7)],
  ]);
  const names = calls.map(([name]) => name).join(' ');
  assert.equal(names, 'open push setModel settle reportUsage push push push settle reportUsage push free');
});

test('recorded_compaction_is_adopted_with_what_it_covers_and_judged_by_the_next_figure', async () => {
  const { calls, events } = await observe(lines([
    pi.session(), pi.user(0, 'one'), pi.answer(1, [say('a')], 9_000, 9), pi.user(2, 'two'), pi.compaction(3, filler(70), { firstKeptEntryIndex: 3, tokensBefore: 9_009 }), pi.answer(4, [say('b')], 3_000, 9),
  ]));
  assert.deepEqual(named(calls, 'adopt'), [['adopt', 2, 70, time(3)]]);
  const [compaction] = typed(events, 'compaction');
  assert.deepEqual([compaction.line, compaction.by, compaction.coversEntries, compaction.entries, compaction.beforeTokens], [5, 'recording', 2, 3, 9_009]);
  const [verdict] = typed(events, 'verdict');
  assert.deepEqual([verdict.line, verdict.madeAtLine, verdict.verdict, verdict.afterTokens], [6, 5, 'effective', 3_000]);
  const [pass] = events.at(-1).passes;
  assert.deepEqual([pass.verdict, pass.spentTokens], ['effective', 9_009 + 70]);
  assert.equal(events.at(-1).uselessTokens, 0);
});

test('compaction_that_did_not_help_is_counted_with_what_it_cost', async () => {
  const { events } = await observe(lines([
    pi.session(), pi.user(0, 'one'), pi.answer(1, [say('a')], 9_000, 9), pi.compaction(3, filler(70), { firstKeptEntryIndex: 2, tokensBefore: 9_009 }), pi.answer(4, [say('b')], 8_900, 9),
  ]));
  assert.equal(events.at(-1).passes[0].verdict, 'ineffective');
  assert.equal(events.at(-1).uselessTokens, 9_079);
});

test('pass_without_a_later_figure_has_no_verdict', async () => {
  const { events } = await observe(lines([pi.session(), pi.user(0, 'one'), pi.answer(1, [say('a')], 9_000, 9), pi.compaction(3, 's', { firstKeptEntryIndex: 2 })]));
  assert.deepEqual([events.at(-1).passes[0].verdict, events.at(-1).passes[0].spentTokens], ['pending', null]);
});

test('record_without_a_figure_is_neither_reported_nor_taken_for_a_call_without_usage', async () => {
  const { calls, events } = await observe(lines([pi.session(), pi.user(0, 'one'), pi.answer(1, [], 0, 0), pi.answer(2, [say('a')], 900, 9)]));
  assert.equal(named(calls, 'stepWithoutUsage').length, 0);
  assert.equal(named(calls, 'reportUsage').length, 1);
  const { usageRecords, usageWithoutFigure, modelCalls } = events.at(-1);
  assert.deepEqual([usageRecords, usageWithoutFigure, modelCalls], [2, 1, 2]);
});

test('call_without_usage_is_a_step_without_usage_and_untimed_calls_last_a_stated_time', async () => {
  const { calls, events } = await observe(lines([chat.user('u'), chat.answer('a'), chat.user('v'), chat.answer('b')]));
  const steps = named(calls, 'stepWithoutUsage');
  assert.equal(steps.length, 2);
  assert.equal(steps[1][2] - steps[0][2], 30_000);
  assert.match(typed(events, 'note')[0].text, /no times: each model call was taken to last 30 s/);
  assert.equal(typed(events, 'window')[0].at, null);
});

test('answers_are_written_down_only_where_they_change_and_begin_at_below_the_threshold', async () => {
  const answer = ({ prompt }) => {
    if (prompt < 800) return decision();
    return prompt < 1_500 ? decision({ action: 'compact', reason: undefined, trigger: 'threshold', sentence: 'due' }) : decision({ action: 'blocked', reason: 'ineffective', sentence: 'paused' });
  };
  const prompts = [100, 900, 950, 1_600, 1_700, 200, 210];
  const { events } = await observe(lines([pi.session(), ...prompts.map((prompt, index) => pi.answer(index, [say('a')], prompt, 1))]), { answer });
  assert.deepEqual(typed(events, 'decision').map((event) => [event.call, event.decision.action]), [[3, 'compact'], [5, 'blocked'], [7, 'hold']]);
  const { started, refused } = events.at(-1);
  assert.equal(started, 1);
  assert.deepEqual(refused, [{ action: 'blocked', reason: 'ineffective', times: 1, firstLine: 6, sentence: 'paused' }]);
});

test('time_never_runs_backwards_and_a_header_written_later_than_its_messages_does_not_count', async () => {
  const { calls } = await observe(lines([pi.session(), pi.answer(10, [say('a')], 100, 1), pi.answer(5, [say('b')], 110, 1), pi.answer(12, [say('c')], 120, 1)]));
  assert.deepEqual(named(calls, 'reportUsage').map((call) => call[5]), [time(10), time(10), time(12)]);
});

test('rewind_of_the_recording_truncates_the_transcript', async () => {
  const first = [chat.system('s'), chat.user('u')];
  const { calls } = await observe(lines([chat.exchange(first, chat.answer('bad'), 100, 5), chat.exchange(first, chat.answer('good'), 100, 5)]));
  assert.deepEqual(named(calls, 'truncate'), [['truncate', 2]]);
});

test('each_conversation_of_a_file_has_a_session_of_its_own', async () => {
  const run = [chat.user('u'), chat.answer('a')];
  const { engines, events } = await observe(JSON.stringify([run, run, run]));
  assert.equal(engines.length, 3);
  assert.ok(engines.every(({ calls }) => calls.at(-1)[0] === 'free'));
  assert.equal(events.at(-1).sessions, 3);
});

test('window_comes_from_the_option_then_the_recording_then_the_model_then_a_stated_assumption', async () => {
  const sources = async (content, window) => typed((await observe(content, { window })).events, 'window').map((event) => [event.windowTokens, event.source]);
  const request = (over) => lines([chat.exchange([chat.user('u')], chat.answer('a'), 9, 1, over), '']);
  assert.deepEqual(await sources(request({ context_window: 64_000 }), 32_000), [[32_000, 'option'], [200_000, 'learned']]);
  assert.deepEqual((await sources(request({ context_window: 64_000 })))[0], [64_000, 'recording']);
  assert.deepEqual((await sources(lines([pi.session(), pi.answer(1, [say('a')], 9, 1)])))[0], [200_000, 'model']);
  assert.deepEqual((await sources(lines([chat.user('u'), chat.answer('a')])))[0], [128_000, 'assumed']);
});
