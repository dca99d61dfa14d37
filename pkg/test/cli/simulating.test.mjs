// How a simulation comes by its figures. The engine is scripted; what it decides is not the subject here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chat, claude, filler, lines, pi, say, withFile } from './fixtures.mjs';
import { load } from './load.mjs';
import { decision, stubEngine } from './stub-engine.mjs';

const { Baseline } = await load('baseline.ts');
const { scriptedSummary } = await load('summariser.ts');
const { recognise } = await load('read/recognise.ts');
const { replay } = await load('replay.ts');

const entry = (tokens) => ({ role: 1, flags: 0, tokens, bytes: tokens * 3, group: 0, calls: 0, idHash: [0, 0] });
const all = (count) => Uint32Array.of(0, 0, count);

test('baseline_of_the_whole_transcript_is_the_recorded_prompt', () => {
  const baseline = new Baseline();
  for (const [added, prompt] of [[[100, 50], 10_150], [[200], 10_650], [[10, 10], 10_700]]) {
    for (const tokens of added) baseline.add(entry(tokens));
    const entries = { 10_150: 2, 10_650: 3, 10_700: 5 }[prompt];
    baseline.prompt(prompt, entries);
    assert.equal(baseline.of(all(entries), entries, 0), prompt);
  }
  assert.equal(baseline.outside, 10_000);
});

test('baseline_gives_each_entry_the_growth_that_it_caused_and_a_view_loses_just_that', () => {
  const baseline = new Baseline();
  baseline.add(entry(100));
  baseline.prompt(5_100, 1);
  baseline.add(entry(100));
  baseline.add(entry(300));
  baseline.prompt(5_900, 3);
  assert.equal(baseline.of(Uint32Array.of(1, 0, 0, 0, 2, 3), 3, 40), 5_000 + 40 + 600);
  assert.equal(baseline.of(Uint32Array.of(0, 0, 1, 2, 1, 2), 3, 40), 5_100 + 200);
});

test('baseline_weighs_a_cleared_entry_as_its_placeholder_a_cut_one_as_what_is_left_and_a_late_result_whole', () => {
  const baseline = new Baseline();
  for (const tokens of [100, 500, 500, 10, 50]) baseline.add(entry(tokens));
  baseline.prompt(5_000 + 1_160, 5);
  assert.equal(baseline.of(Uint32Array.of(0, 0, 1, 3, 1, 2, 4, 2, 350, 3, 3, 4, 2, 4, 5), 5, 0), 5_000 + 100 + 32 + 100 + 10 + 50);
});

test('baseline_after_a_recorded_compaction_weighs_new_entries_by_what_was_learned_before', () => {
  const baseline = new Baseline();
  baseline.add(entry(100));
  baseline.prompt(1_100, 1);
  baseline.add(entry(100));
  baseline.prompt(1_300, 2);
  baseline.break();
  baseline.add(entry(50));
  baseline.prompt(400, 3);
  assert.equal(baseline.of(all(3), 3, 0), 1_400);
  baseline.add(entry(10));
  baseline.prompt(430, 4);
  assert.equal(baseline.of(all(4), 4, 0), 1_430);
});

test('baseline_that_shrinks_without_a_compaction_takes_it_from_the_fixed_part_and_never_below_nothing', () => {
  const baseline = new Baseline();
  baseline.add(entry(100));
  baseline.prompt(1_100, 1);
  baseline.prompt(900, 1);
  assert.deepEqual([baseline.outside, baseline.of(all(1), 1, 0)], [800, 900]);
  baseline.prompt(10, 1);
  assert.ok(baseline.outside >= 0 && baseline.of(all(1), 1, 0) >= 1);
});

test('baseline_forgets_entries_that_were_rewound', () => {
  const baseline = new Baseline();
  for (const tokens of [100, 100, 700, 100]) baseline.add(entry(tokens));
  baseline.prompt(2_000, 4);
  baseline.rewind(2);
  baseline.add(entry(50));
  baseline.prompt(1_250, 3);
  assert.equal(baseline.of(all(3), 3, 0), 1_250);
});

test('scripted_summary_keeps_a_tenth_at_most_the_limit_and_is_the_same_each_time', () => {
  const rough = (text) => Math.min(text.length, Math.ceil((text.length * 2) / 7));
  const free = rough(scriptedSummary(20_000, 8_192));
  assert.ok(free > 1_900 && free <= 2_000, `${free}`);
  const capped = rough(scriptedSummary(500_000, 8_192));
  assert.ok(capped > 7_900 && capped <= 8_192, `${capped}`);
  assert.ok(scriptedSummary(1, 1).length > 0);
  assert.equal(scriptedSummary(20_000, 8_192), scriptedSummary(20_000, 8_192));
});

/** An engine that wants a pass from `threshold` on and commits it with the first `cut` entries gone. */
function compacting(threshold, cut) {
  const engine = stubEngine(({ prompt }) => (prompt >= threshold ? decision({ action: 'compact', reason: undefined, trigger: 'threshold', sentence: 'due' }) : decision()));
  let made = false;
  return Object.assign(engine, {
    explain: ((before) => (now) => (made ? decision() : before(now)))(engine.explain),
    claim: async (kind) => (engine.calls.push(['claim', kind]), { compactionId: 'c1', means: 'model', entries: cut, tokens: 1_000, maxTokens: 500, from: 0, cut, pinned: [] }),
    commit: async (id, text) => {
      engine.calls.push(['commit', text.length > 0]);
      made = true;
      return { status: 'committed', compactionId: id, beforeTokens: threshold, afterTokens: 1 };
    },
    viewRevision: () => (made ? 1 : 0),
    summaryText: () => (made ? filler(70) : undefined),
    view: () => (made ? Uint32Array.of(1, 0, 0, 0, cut, engine.entryCount()) : Uint32Array.of(0, 0, engine.entryCount())),
  });
}

async function simulate(content, engine, window) {
  return await withFile(content, async (path) => {
    const events = [];
    await replay(await recognise(path), { file: path, mode: 'simulate', window, newEngine: () => engine }, (event) => events.push(event));
    return { calls: engine.calls, events };
  });
}

const named = (calls, name) => calls.filter(([one]) => one === name);

test('figures_after_a_simulated_pass_are_lower_by_what_it_took_away_and_every_line_says_simulated', async () => {
  const c = claude();
  const recording = lines([
    c.user(0, filler(1_000)), c.answer(1, 'm1', say(filler(100)), 11_000, 9), c.user(2, filler(400)), c.answer(3, 'm2', say(filler(100)), 11_500, 9), c.user(4, filler(100)), c.answer(5, 'm3', say('a'), 11_700, 9),
  ]);
  const { calls, events } = await simulate(recording, compacting(11_500, 3), 20_000);
  assert.deepEqual(named(calls, 'reportUsage').map((call) => call[1]), [11_000, 11_500, 10_000 + 70 + 200]);
  assert.ok(events.every((event) => event.simulated === true));
  assert.equal(events.at(-1).simulatedPeakPromptTokens, 11_500);
  assert.equal(events.at(-1).started, 1);
});

test('results_that_were_cleared_without_a_model_make_later_figures_lower_and_cost_nothing', async () => {
  const c = claude();
  const recording = lines([
    c.user(0, filler(1_000)), c.answer(1, 'm1', say(filler(100)), 11_000, 9), c.user(2, filler(400)), c.answer(3, 'm2', say(filler(100)), 11_500, 9), c.user(4, filler(100)), c.answer(5, 'm3', say('a'), 11_700, 9),
  ]);
  let cleared = false;
  const engine = stubEngine(({ prompt }) => (prompt >= 11_500 && !cleared ? decision({ action: 'compact', reason: undefined, trigger: 'threshold', sentence: 'due' }) : decision()));
  engine.claim = async () => ((cleared = true), { refused: decision(), prunedTokens: 468 });
  engine.view = () => (cleared ? Uint32Array.of(0, 0, 2, 3, 2, 3, 0, 3, engine.entryCount()) : Uint32Array.of(0, 0, engine.entryCount()));
  const { calls, events } = await simulate(recording, engine, 20_000);
  assert.deepEqual(named(calls, 'reportUsage').map((call) => call[1]), [11_000, 11_500, 11_700 - 400 + 32]);
  const [event] = events.filter(({ type }) => type === 'cleared');
  assert.deepEqual([event.clearedTokens, event.simulated, events.at(-1).cleared, events.at(-1).passes], [468, true, { times: 1, tokens: 468 }, []]);
});

test('recorded_compaction_is_left_out_of_a_simulation_and_said_so', async () => {
  const recording = lines([
    pi.session(), pi.user(0, filler(1_000)), pi.answer(1, [say(filler(100))], 11_000, 9), pi.compaction(2, 'sum', { firstKeptEntryIndex: 3, tokensBefore: 11_100 }), pi.user(3, filler(100)), pi.answer(4, [say('a')], 3_000, 9),
  ]);
  const { calls, events } = await simulate(recording, stubEngine(), 20_000);
  assert.equal(named(calls, 'adopt').length, 0);
  assert.deepEqual(named(calls, 'reportUsage').map((call) => call[1]), [11_000, 11_200]);
  assert.deepEqual(events.filter((event) => event.type === 'left_out').map((event) => event.line), [4]);
});

test('prompt_whose_fixed_part_does_not_fit_is_said_once_and_no_pass_is_tried', async () => {
  const requests = [1, 2, 3].map((turn) => chat.exchange(Array.from({ length: turn * 2 - 1 }, (_, index) => (index % 2 === 0 ? chat.user(`u${index}`) : chat.answer('a'))), chat.answer('a'), 9_000 + turn, 1));
  const { calls, events } = await simulate(lines(requests), stubEngine(() => decision({ action: 'compact', reason: undefined, trigger: 'threshold' })), 4_000);
  assert.equal(named(calls, 'claim').length, 1, 'before the first figure the governor cannot know');
  assert.equal(named(calls, 'reportUsage').length, 0);
  assert.equal(events.filter((event) => event.type === 'overflow').length, 1);
  assert.equal(events.at(-1).overflows, 3);
});

test('prompt_that_stays_above_the_window_is_never_reported_as_if_it_had_been_answered', async () => {
  const recording = lines([chat.exchange([chat.user(filler(5_000))], chat.answer('a'), 6_000, 1)]);
  const { calls, events } = await simulate(recording, stubEngine(), 4_000);
  assert.equal(named(calls, 'reportUsage').length, 0);
  assert.deepEqual(events.filter((event) => event.type === 'overflow').map(({ promptTokens, fixedTokens, gaveUp }) => [promptTokens, fixedTokens, gaveUp]), [[6_000, 1_000, true]]);
});

test('prompt_above_the_window_is_refused_and_sent_again_after_a_pass', async () => {
  const recording = lines([
    chat.exchange([chat.user(filler(1_000))], chat.answer(filler(500)), 3_000, 1),
    chat.exchange([chat.user(filler(1_000)), chat.answer(filler(500)), chat.user(filler(100))], chat.answer('a'), 4_600, 1),
  ]);
  const engine = compacting(1, 2);
  engine.explain = () => decision();
  engine.overflow = async (...args) => (engine.calls.push(['overflow', ...args]), { decision: decision({ action: 'compact', reason: undefined, trigger: 'overflow' }), stale: false });
  const { calls, events } = await simulate(recording, engine, 4_000);
  assert.deepEqual(named(calls, 'overflow').map((call) => call[2]), [4_000]);
  assert.deepEqual(named(calls, 'claim'), [['claim', 'overflow']]);
  const reported = named(calls, 'reportUsage').map((call) => call[1]);
  assert.equal(reported[0], 3_000);
  assert.ok(reported[1] < 4_000 && reported[1] > 2_000, `${reported}`);
  assert.equal(events.at(-1).overflows, 1);
});
