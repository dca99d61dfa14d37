import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chat, claude, filler, lines, pi, say, use, withFile } from './fixtures.mjs';
import { load } from './load.mjs';

const { recognise } = await load('read/recognise.ts');

/** The steps of a recording; entries without their hashes. */
async function read(content) {
  return await withFile(content, async (path) => {
    const found = await recognise(path);
    if ('unknown' in found) return found;
    const steps = [];
    for await (const [step] of found.steps) steps.push(step);
    return { format: found.format, unit: found.unit, steps };
  });
}

const of = (steps, kind) => steps.filter((step) => step.kind === kind);
const kinds = (steps) => steps.map((step) => step.kind).join(' ');
const entries = (steps) => of(steps, 'entry').map((step) => step.entry);

test('claude_code_lines_that_share_a_message_id_are_one_call_with_the_usage_of_the_last', async () => {
  const c = claude();
  const { format, unit, steps } = await read(lines([
    c.user(0, 'go'),
    c.answer(1, 'm1', say('thinking'), 1_000, 8),
    c.answer(2, 'm1', use('t1'), 1_000, 8),
    c.result(3, 't1', 'one'),
    c.answer(4, 'm1', use('t2'), 1_000, 170),
    c.result(5, 't2', 'two'),
    c.answer(6, 'm2', say('done'), 1_300, 9),
  ]));
  assert.deepEqual([format, unit], ['claude_code', 'line']);
  assert.equal(kinds(steps), 'session entry call usage entry entry entry call usage entry');
  assert.deepEqual(of(steps, 'usage').map((step) => [step.promptTokens, step.outputTokens]), [[1_000, 170], [1_300, 9]]);
  const [, answer, first, second, last] = entries(steps);
  assert.deepEqual([answer.calls, answer.flags], [2, 2]);
  assert.deepEqual([answer.group, first.group, second.group, last.group], [1, 1, 1, 4]);
  assert.deepEqual([first.role, first.flags], [3, 4]);
});

test('claude_code_straggler_of_a_counted_message_adds_words_and_no_call', async () => {
  const c = claude();
  const { steps } = await read(lines([c.user(0, 'go'), c.answer(1, 'm1', say('a'), 1_000, 1), c.user(2, 'on'), c.answer(3, 'm2', say('b'), 1_100, 1), c.answer(4, 'm1', say('late'), 1_000, 1)]));
  assert.equal(of(steps, 'call').length, 2);
  assert.equal(of(steps, 'usage').length, 2);
  assert.equal(entries(steps).length, 5);
});

test('claude_code_compaction_covers_all_entries_and_its_summary_is_no_entry', async () => {
  const c = claude();
  const { steps } = await read(lines([
    c.user(0, 'go'), c.answer(1, 'm1', say('a'), 9_000, 5), c.boundary(2, 9_100), c.summary(3, filler(50)), c.user(4, 'more'), c.answer(5, 'm2', say('b'), 3_000, 5),
  ]));
  assert.deepEqual(of(steps, 'compaction').map(({ line, coversEntries, summaryTokens, tokensBefore, trigger }) => ({ line, coversEntries, summaryTokens, tokensBefore, trigger })), [
    { line: 3, coversEntries: 2, summaryTokens: 50, tokensBefore: 9_100, trigger: 'auto' },
  ]);
  assert.equal(entries(steps).length, 4);
});

test('claude_code_boundary_without_a_summary_is_still_a_compaction', async () => {
  const c = claude();
  const { steps } = await read(lines([c.user(0, 'go'), c.answer(1, 'm1', say('a'), 9_000, 5), c.boundary(2, 9_100, 'manual')]));
  assert.deepEqual(of(steps, 'compaction').map((step) => [step.summaryTokens, step.trigger]), [[0, 'manual']]);
});

test('claude_code_sidechain_lines_are_left_out_of_a_main_file_and_are_the_conversation_of_a_subagent_file', async () => {
  const side = { isSidechain: true };
  const c = claude();
  const main = await read(lines([c.user(0, 'go'), c.user(1, 'sub', side), c.answer(2, 's1', say('x'), 500, 1, side), c.answer(3, 'm1', say('a'), 900, 1)]));
  assert.equal(of(main.steps, 'call').length, 1);
  assert.match(of(main.steps, 'note')[0].text, /left out 2 lines of subagents/);
  const own = await read(lines([c.user(0, 'sub', side), c.answer(1, 's1', say('x'), 500, 1, side)]));
  assert.equal(of(own.steps, 'call').length, 1);
  assert.equal(of(own.steps, 'note').length, 0);
});

test('claude_code_meta_lines_are_entries_that_no_person_wrote_and_client_errors_are_no_call', async () => {
  const c = claude();
  const error = c.answer(2, 'e1', say('API Error'), 100, 0, { isApiErrorMessage: true });
  const { steps } = await read(lines([c.user(0, 'caveat', { isMeta: true }), c.user(1, 'go'), error, { type: 'progress', uuid: 'x', parentUuid: 'u', sessionId: 's-1' }]));
  assert.deepEqual(entries(steps).map((entry) => entry.flags), [1, 0]);
  assert.equal(of(steps, 'call').length, 0);
});

test('claude_code_tool_results_of_one_line_are_entries_of_their_own_and_words_beside_them_are_synthetic', async () => {
  const c = claude();
  const both = c.user(2, [
    { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'one' }, { type: 'image', source: {} }] },
    { type: 'tool_result', tool_use_id: 't2', content: 'two' },
    { type: 'text', text: 'reminder' },
  ]);
  const { steps } = await read(lines([c.user(0, 'go'), c.answer(1, 'm1', use('t1'), 900, 1), c.answer(1, 'm1', use('t2'), 900, 1), both]));
  assert.deepEqual(entries(steps).slice(2).map(({ role, flags, group }) => [role, flags, group]), [[3, 12, 1], [3, 4, 1], [1, 1, 4]]);
});

test('pi_compaction_covers_what_stood_before_the_record_that_it_kept_first', async () => {
  const { format, steps } = await read(lines([
    pi.session(), pi.user(0, 'one'), pi.answer(1, [say('a')], 5_000, 9), { type: 'thinking_level_change', timestamp: '2026-03-01T10:00:02Z', thinkingLevel: 'low' },
    pi.user(3, 'two'), pi.answer(4, [say('b')], 9_000, 9), pi.compaction(5, filler(70), { firstKeptEntryIndex: 4, tokensBefore: 9_009 }), pi.user(6, 'three'), pi.answer(7, [say('c')], 3_000, 9),
  ]));
  assert.equal(format, 'pi');
  assert.deepEqual(of(steps, 'compaction').map(({ coversEntries, summaryTokens, tokensBefore }) => [coversEntries, summaryTokens, tokensBefore]), [[2, 70, 9_009]]);
  assert.deepEqual(of(steps, 'usage').map((step) => step.promptTokens), [5_000, 9_000, 3_000]);
});

test('pi_aborted_call_without_words_is_a_call_and_a_usage_record_without_figure_and_no_entry', async () => {
  const { steps } = await read(lines([pi.session(), pi.user(0, 'one'), pi.answer(1, [], 0, 0), pi.answer(2, [say('a')], 800, 9)]));
  assert.equal(kinds(steps), 'session entry call usage call usage entry');
  assert.deepEqual(of(steps, 'usage').map((step) => step.promptTokens), [0, 800]);
});

test('pi_tree_record_with_an_older_parent_rewinds_to_it_and_compactions_may_name_an_id', async () => {
  const tree = (id, parentId) => ({ id, parentId });
  const { steps } = await read(lines([
    pi.session({ version: 3 }), pi.user(0, 'one', tree('a', null)), pi.answer(1, [pi.call('t1')], 800, 9, tree('b', 'a')), pi.result(2, 't1', 'r', tree('c', 'b')), pi.answer(3, [say('wrong')], 900, 9, tree('d', 'c')),
    pi.answer(4, [say('right')], 900, 9, tree('e', 'c')), pi.compaction(5, 'sum', { ...tree('f', 'e'), firstKeptEntryId: 'e', tokensBefore: 950 }),
  ]));
  assert.deepEqual(of(steps, 'rewind').map((step) => step.entries), [3]);
  assert.deepEqual(of(steps, 'compaction').map((step) => step.coversEntries), [3]);
  assert.deepEqual(entries(steps).map((entry) => entry.group), [0, 1, 1, 3, 3]);
});

test('pi_compaction_that_kept_a_record_of_a_left_branch_covers_no_more_than_stands', async () => {
  const tree = (id, parentId) => ({ id, parentId });
  const { steps } = await read(lines([
    pi.session({ version: 3 }), pi.user(0, 'one', tree('a', null)), pi.answer(1, [say('b')], 800, 9, tree('b', 'a')), pi.user(2, 'two', tree('c', 'b')), pi.user(3, 'else', tree('d', 'a')),
    pi.compaction(4, 'sum', { ...tree('e', 'a'), firstKeptEntryId: 'c' }),
  ]));
  assert.deepEqual(of(steps, 'compaction').map((step) => step.coversEntries), [1]);
});

test('rewound_call_id_no_longer_binds_a_later_result', async () => {
  const tree = (id, parentId) => ({ id, parentId });
  const { steps } = await read(lines([pi.session(), pi.user(0, 'one', tree('a', null)), pi.answer(1, [pi.call('t1')], 800, 9, tree('b', 'a')), pi.result(2, 't1', 'r', tree('c', 'a'))]));
  assert.deepEqual(entries(steps).map((entry) => entry.group), [0, 1, 1]);
  assert.equal(of(steps, 'rewind').length, 1);
});

test('openai_chat_list_of_messages_is_a_call_for_each_answer_and_a_list_of_runs_is_a_conversation_each', async () => {
  const run = [chat.system('s'), chat.user('u'), chat.call('t1'), chat.result('t1', 'r'), chat.answer('a')];
  const one = await read(JSON.stringify(run, null, 1));
  assert.deepEqual([one.format, one.unit], ['openai_chat', 'message']);
  assert.equal(kinds(one.steps), 'session entry entry call entry entry call entry');
  assert.deepEqual(one.steps.map((step) => step.line), [1, 1, 2, 3, 3, 4, 5, 5]);
  for (const wrap of [(messages) => messages, (messages) => ({ messages }), (traj) => ({ task_id: 0, traj })]) {
    const runs = await read(JSON.stringify([wrap(run), wrap(run)]));
    assert.deepEqual(of(runs.steps, 'session').map((step) => step.label), ['run 1', 'run 2']);
    assert.deepEqual(of(runs.steps, 'entry').map((step) => step.line), [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]);
  }
});

test('openai_chat_document_on_a_single_line_is_counted_by_message', async () => {
  const { unit, steps } = await read(`${JSON.stringify({ messages: [chat.user('u'), chat.answer('a')] })}\n\n`);
  assert.deepEqual([unit, ...of(steps, 'entry').map((step) => step.line)], ['message', 1, 2]);
});

test('openai_chat_requests_that_repeat_the_conversation_add_only_what_is_new', async () => {
  const first = [chat.system('s'), chat.user('u')];
  const asParts = { role: 'assistant', content: [{ type: 'text', text: 'a' }] };
  const second = [...first, asParts, chat.user('v')];
  const log = [chat.exchange(first, chat.answer('a'), 100, 5, { context_window: 64_000 }), chat.exchange(second, chat.answer('b'), 130, 6)];
  for (const content of [lines(log), JSON.stringify({ interactions: log.map(({ messages, response }) => ({ request: { body: { messages } }, response: { status: 200, body: response } })) })]) {
    const { steps } = await read(content);
    assert.equal(kinds(steps), 'session entry entry call usage entry entry call usage entry');
    assert.deepEqual(of(steps, 'usage').map((step) => step.promptTokens), [100, 130]);
  }
  const { steps } = await read(lines(log));
  assert.equal(steps[0].window, 64_000);
});

test('openai_chat_request_that_drops_the_last_answer_rewinds_and_one_that_shares_nothing_is_another_conversation', async () => {
  const first = [chat.system('s'), chat.user('u')];
  const retry = chat.exchange(first, chat.answer('better'), 100, 5);
  const { steps } = await read(lines([chat.exchange(first, chat.answer('bad'), 100, 5), retry, chat.exchange([chat.system('s'), chat.user('other')], chat.answer('c'), 90, 5)]));
  assert.deepEqual(of(steps, 'rewind').map((step) => step.entries), [2]);
  assert.equal(of(steps, 'session').length, 2);
});

test('openai_chat_answer_that_comes_back_mended_is_still_the_same_answer', async () => {
  const first = [chat.system('s'), chat.user('u')];
  const second = [...first, chat.answer('trimmed'), chat.user('v')];
  const { steps } = await read(lines([chat.exchange(first, chat.answer(' trimmed '), 100, 5), chat.exchange(second, chat.answer('b'), 130, 6), chat.exchange([...second, chat.answer('b'), chat.user('w')], chat.answer('c'), 150, 6)]));
  assert.equal(of(steps, 'rewind').length, 0);
  assert.equal(entries(steps).length, 7);
});

test('openai_chat_one_message_a_line_is_one_conversation', async () => {
  const { unit, steps } = await read(lines([chat.user('u'), chat.answer('a'), chat.user('v')]));
  assert.equal(unit, 'line');
  assert.equal(kinds(steps), 'session entry call entry entry');
});

test('openai_chat_images_are_counted_flat_and_never_by_their_bytes', async () => {
  const image = { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(50_000)}` } }] };
  const { steps } = await read(JSON.stringify([image]));
  assert.deepEqual(entries(steps).map(({ tokens, bytes, flags }) => [tokens, bytes, flags]), [[1_200, 0, 8]]);
});

test('unreadable_line_is_reported_by_number_and_the_rest_is_read', async () => {
  const c = claude();
  const whole = lines([c.user(0, 'go'), '{"type":"assistant","mess', '', c.answer(1, 'm1', say('a'), 900, 1), '[1,2]']);
  const { steps } = await read(whole);
  assert.deepEqual(of(steps, 'unreadable').map(({ line, reason }) => [line, reason]), [[2, 'not JSON'], [5, 'not an object']]);
  assert.equal(of(steps, 'call').length, 1);
});

test('byte_order_mark_windows_line_ends_and_a_line_separator_inside_a_string_are_read_and_a_cut_last_line_is_reported', async () => {
  const records = [chat.user('one\u2028two'), chat.answer('a')].map((record) => JSON.stringify(record));
  const { steps } = await read(`\uFEFF${records.join('\r\n')}\r\n${records[0].slice(0, 20)}`);
  assert.equal(kinds(steps), 'session entry call entry unreadable');
  assert.equal(of(steps, 'unreadable')[0].line, 3);
  assert.equal(entries(steps)[0].bytes, 9);
});

test('lone_surrogate_counts_as_the_three_bytes_it_is_sent_as', async () => {
  const { steps } = await read('{"role":"user","content":"\\ud83d"}\n{"role":"user","content":"b"}\n');
  assert.deepEqual(entries(steps).map((entry) => entry.bytes), [3, 1]);
});

test('unreadable_first_line_does_not_hide_the_format_of_the_others', async () => {
  const { format, steps } = await read(lines(['{"type":"mess', pi.session(), pi.user(0, 'one')]));
  assert.equal(format, 'pi');
  assert.deepEqual(of(steps, 'unreadable').map((step) => step.line), [1]);
});

test('unknown_format_is_named_by_its_fields_and_never_by_what_they_hold', async () => {
  const cases = [
    [lines([{ timestamp: 'x', type: 'diary', pages: { text: 'secret' } }]), 'objects with the fields timestamp, type, pages'],
    [JSON.stringify([{ conversations: [], tools: 'secret' }]), 'a JSON array of objects with the fields conversations, tools'],
    [JSON.stringify({ interactions: [{ request: { body: { messages: [{ role: 'user', content: [{ type: 'secret' }] }] } }, response: { body: { content: [] } } }] }, null, 2), 'an object with the field interactions, an array of objects with the fields request, response'],
    ['# a Markdown file\n\ntext\n', 'neither JSON nor lines of JSON'],
    ['', 'an empty file'],
    ['\n\n', 'an empty file'],
    ['[]', 'an empty JSON array'],
    ['"secret"', 'a JSON string'],
    ['null', 'a JSON null'],
    [JSON.stringify([{ id: 'a', role: 'user', parts: [{ type: 'secret' }] }]), 'a JSON array of objects with the fields id, role, parts'],
  ];
  for (const [content, unknown] of cases) assert.deepEqual(await read(content), { unknown });
});
