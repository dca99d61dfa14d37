// What the doctor counts, by the real engine: the conversation as it stands at its end, and no more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chat, claude, filler, lines, pi, say, use, withFile } from './fixtures.mjs';
import { codex } from './formats.mjs';
import { tool } from './tool.mjs';

async function examine(content, ...args) {
  return await withFile(content, async (path) => {
    const { code, out, err } = await tool('doctor', path, '--json', ...args);
    assert.equal(err, '');
    return { code, ...JSON.parse(out) };
  });
}

const codes = ({ findings }) => findings.map(({ code }) => code);
const OPENING = 'Here is a summary of the conversation to date: ';

test('call_at_the_end_still_waits_and_one_that_the_conversation_went_on_without_is_an_orphan', async () => {
  const start = [chat.user('u'), chat.call('a')];
  const waiting = await examine(JSON.stringify(start));
  assert.deepEqual([waiting.code, waiting.conversations[0].orphans.calls], [0, []]);
  const left = await examine(JSON.stringify([...start, chat.user('on'), chat.answer('yes')]));
  assert.deepEqual([left.code, left.conversations[0].orphans, codes(left.conversations[0])], [1, { calls: [2], results: [] }, ['orphan_calls']]);
});

test('parallel_calls_with_one_result_missing_are_an_orphan_and_results_in_any_order_are_none', async () => {
  const both = { role: 'assistant', content: null, tool_calls: ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })) };
  const whole = await examine(JSON.stringify([chat.user('u'), both, chat.result('b', 'r'), chat.result('a', 'r'), chat.answer('x')]));
  assert.deepEqual(whole.conversations[0].orphans, { calls: [], results: [] });
  const half = await examine(JSON.stringify([chat.user('u'), both, chat.result('b', 'r'), chat.answer('x')]));
  assert.deepEqual(half.conversations[0].orphans, { calls: [2], results: [] });
});

test('one_summary_is_as_it_should_be_and_two_are_a_pile_that_a_pass_would_merge', async () => {
  const conversation = (count) => JSON.stringify([chat.system('s'), ...Array.from({ length: count }, (_, turn) => [chat.system(OPENING + filler(300 + turn)), chat.user(filler(50)), chat.answer(filler(50))]).flat(), chat.user('on')]);
  assert.deepEqual(codes((await examine(conversation(1), '--window', '4k')).conversations[0]), []);
  const { conversations: [pile] } = await examine(conversation(3), '--window', '4k');
  assert.deepEqual([codes(pile), pile.summaries.messages, pile.summaries.lines], [['summary_pile_up'], 3, [2, 5, 8]]);
  assert.ok(pile.pass.possible && pile.pass.afterTokens < pile.pass.beforeTokens * 0.6, JSON.stringify(pile.pass));
});

// seeds: B1
test('139_summaries_of_1_2_million_characters_are_found_and_one_pass_would_bring_them_under_the_threshold', async () => {
  const summaries = Array.from({ length: 139 }, (_, turn) => chat.system(`${OPENING}${turn} ${'lorem ipsum dolor '.repeat(500)}`.slice(0, 8_970)));
  const { code, conversations: [found] } = await examine(JSON.stringify([chat.system('s'), ...summaries, chat.user('hi'), chat.answer('a'), chat.user('on')]));
  assert.equal(code, 1);
  assert.deepEqual([found.summaries.messages, found.summaries.bytes, codes(found).includes('summary_pile_up')], [139, 139 * 8_970, true]);
  assert.ok(found.pass.possible && found.pass.afterTokens < found.decision.thresholdTokens, JSON.stringify(found.pass));
});

test('what_a_recorded_compaction_covers_is_no_longer_looked_at', async () => {
  const c = claude();
  const { conversations: [found] } = await examine(lines([
    c.user(0, 'go'), c.answer(1, 'm1', use('lost'), 9_000, 5), c.user(2, filler(40)), c.answer(3, 'm2', say('a'), 9_100, 5), c.boundary(4, 9_200), c.summary(5, OPENING + filler(50)), c.user(6, 'more'), c.answer(7, 'm3', say('b'), 3_000, 5),
  ]));
  assert.deepEqual([found.orphans.calls, found.summaries.messages, codes(found)], [[], 0, []]);
  assert.deepEqual(found.view, { entries: 2, coveredEntries: 4, summaryTokens: 64 });
});

test('past_pass_that_did_not_help_is_found_with_its_place_and_its_cost', async () => {
  const { code, conversations: [found] } = await examine(lines([
    pi.session(), pi.user(0, filler(200)), pi.answer(1, [say('a')], 90_000, 9), pi.compaction(3, filler(70), { firstKeptEntryIndex: 2, tokensBefore: 90_009 }), pi.answer(4, [say('b')], 89_000, 9),
  ]));
  assert.deepEqual([code, codes(found), found.pastPasses.useless.map(({ line }) => line), found.pastPasses.uselessTokens], [1, ['useless_passes'], [4], 90_079]);
});

test('fixed_part_above_the_threshold_is_said_with_the_numbers', async () => {
  const { conversations: [found] } = await examine(lines([chat.exchange([chat.user(filler(50))], chat.answer(filler(50)), 15_000, 1)]), '--window', '16k');
  assert.deepEqual([codes(found), found.pass.possible], [['floor_bound'], false]);
  assert.ok(found.decision.floorTokens > found.decision.thresholdTokens);
});

test('each_conversation_of_a_file_is_examined_by_itself_and_the_file_is_as_healthy_as_the_worst', async () => {
  const good = [chat.user('u'), chat.answer('a')];
  const { healthy, conversations } = await examine(JSON.stringify([good, [chat.user('u'), chat.result('x', 'r')], good]));
  assert.equal(healthy, false);
  assert.deepEqual(conversations.map((one) => [one.session, codes(one)]), [['run 1', []], ['run 2', ['orphan_results']], ['run 3', []]]);
});

test('pictures_are_counted_by_their_bytes_and_the_largest_entries_come_first', async () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'QUJD'.repeat(1_000)}` } };
  const { conversations: [found] } = await examine(JSON.stringify([chat.user('small'), { role: 'user', content: [image] }, chat.answer(filler(2_000))]));
  assert.deepEqual(found.media, { entries: 1, bytes: 4_000, lines: [2] });
  assert.deepEqual(found.largest.map(({ line, role }) => [line, role]), [[3, 'assistant'], [2, 'user'], [1, 'user']]);
});

test('window_that_a_recording_states_at_its_calls_is_the_one_it_is_held_against', async () => {
  const { conversations: [found] } = await examine(lines([codex.meta(), codex.user(1, 'go'), codex.say(2, 'a'), codex.usage(3, 900, 900)]));
  assert.deepEqual([found.windowTokens, found.windowSource], [64_000, 'recording']);
});
