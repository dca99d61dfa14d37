// A repaired copy, with what mends it scripted: the same format, each change in its place, and every other byte as it was.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { chat, claude, lines, pi, say, use, withFile } from './fixtures.mjs';
import { cassette, claudeAnswer, codex } from './formats.mjs';
import { load } from './load.mjs';
import { stubEngine } from './stub-engine.mjs';

const { run } = await load('run.ts');
const { recognise } = await load('read/recognise.ts');

const [COLLAPSE, DROP, CLOSE, STRIP] = [1, 2, 3, 4];
const GONE = '[no result: the call was given up]';

/** Runs doctor on `content` with these triples for its conversations; answers with what was printed and the copy. */
async function repair(content, triples, ...args) {
  return await withFile(content, async (path) => {
    const out = `${path}.repaired`;
    const printed = [];
    const err = [];
    const perConversation = triples.some((one) => one.length === 0 || Array.isArray(one[0])) ? [...triples] : [triples];
    const world = {
      stdout: { write: (text) => printed.push(text), columns: 80 }, stderr: { write: (text) => err.push(text) }, env: {}, version: '1', clock: () => 0,
      loadEngine: () => () => Object.assign(stubEngine(), { repair: () => Uint32Array.from((perConversation.shift() ?? []).flat()) }),
      loadSessions: () => () => assert.fail('no session is asked for'),
    };
    const code = await run(['doctor', path, ...(args.length > 0 ? args : ['--repair', out])], world);
    const copy = existsSync(out) ? readFileSync(out, 'utf8') : undefined;
    assert.equal(readFileSync(path, 'utf8'), content, 'the file itself is never touched');
    return { code, copy, printed: printed.join('').replaceAll(path, 'FILE'), err: err.join('').replaceAll(path, 'FILE') };
  });
}

const split = (text) => text.trimEnd().split('\n');

test('list_of_messages_is_written_back_as_it_was_indented_with_each_change_in_its_place', async () => {
  const picture = { role: 'user', content: [{ type: 'text', text: 'see' }, { type: 'image_url', image_url: { url: `data:image/png;base64,${'QUJD'.repeat(300)}` } }] };
  const OPENING = 'Here is a summary of the conversation to date: ';
  const messages = [chat.system(`${OPENING}old`), picture, chat.call('lost'), chat.result('stray', 'r'), chat.system(`${OPENING}new`), chat.user('on')];
  for (const indent of [undefined, 2, '\t']) {
    const { code, copy } = await repair(`${JSON.stringify(messages, null, indent)}\n`, [[COLLAPSE, 0, 4], [STRIP, 1, 0], [CLOSE, 2, 0], [DROP, 3, 0]]);
    const [stripped, ...others] = JSON.parse(copy);
    assert.deepEqual(others, [messages[2], chat.result('lost', GONE), chat.system(`merged ${2 * OPENING.length + 'oldnew'.length}`), messages[5]]);
    assert.deepEqual([stripped.role, JSON.stringify(stripped).includes('QUJD'), JSON.stringify(stripped).includes('see')], ['user', false, true]);
    assert.equal(copy, `${JSON.stringify(JSON.parse(copy), null, indent)}\n`);
    assert.equal(code, 1, 'the exit code is that of the file as it was');
  }
});

test('runs_of_one_file_are_mended_each_by_itself_and_wherever_their_messages_are_kept', async () => {
  const run_ = [chat.user('u'), chat.result('x', 'r')];
  for (const wrap of [(messages) => messages, (messages) => ({ messages, kept: 1 })]) {
    const { copy } = await repair(JSON.stringify([wrap(run_), wrap(run_)]), [[], [[DROP, 1, 0]]]);
    assert.deepEqual(JSON.parse(copy), [wrap(run_), wrap([chat.user('u')])]);
  }
});

test('anthropic_result_is_dropped_from_a_message_that_holds_others_and_a_missing_one_stands_in_a_message_behind', async () => {
  const result = (id) => ({ type: 'tool_result', tool_use_id: id, content: id });
  const messages = [chat.user('go'), { role: 'assistant', content: [use('a'), use('b')] }, { role: 'user', content: [result('a'), result('stray')] }];
  const { copy } = await repair(JSON.stringify(messages), [[CLOSE, 1, 0], [DROP, 3, 0]]);
  assert.deepEqual(JSON.parse(copy), [messages[0], messages[1], { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'b', content: GONE }] }, { role: 'user', content: [result('a')] }]);
});

test('ui_message_is_closed_inside_of_itself_in_the_way_of_its_library', async () => {
  const waits = { type: 'dynamic-tool', toolName: 'f', toolCallId: 'lost', state: 'approval-requested', input: {} };
  const sdk = await repair(JSON.stringify([{ id: '1', role: 'assistant', parts: [{ type: 'step-start' }, waits] }]), [[CLOSE, 0, 1]]);
  assert.deepEqual(JSON.parse(sdk.copy)[0].parts, [{ type: 'step-start' }, { ...waits, state: 'output-error', errorText: GONE }]);
  const call = { type: 'tool-call', id: 'lost', name: 'f', arguments: '{}', state: 'input-complete' };
  const tanstack = await repair(JSON.stringify([{ id: '1', role: 'assistant', parts: [call] }]), [[CLOSE, 0, 1]]);
  assert.deepEqual(JSON.parse(tanstack.copy)[0].parts, [call, { type: 'tool-result', toolCallId: 'lost', content: GONE, state: 'complete' }]);
});

test('langchain_call_is_closed_in_the_form_in_which_its_thread_is_kept', async () => {
  const body = { content: '', tool_calls: [{ id: 'lost', name: 'f', args: {} }] };
  const result = { content: GONE, tool_call_id: 'lost', status: 'error' };
  const serialised = (name, kwargs) => ({ lc: 1, type: 'constructor', id: ['langchain_core', 'messages', name], kwargs });
  const forms = [
    [{ type: 'ai', ...body }, { type: 'tool', ...result }],
    [{ type: 'ai', data: body }, { type: 'tool', data: result }],
    [serialised('AIMessage', body), serialised('ToolMessage', result)],
  ];
  for (const [call, closing] of forms) assert.deepEqual(JSON.parse((await repair(JSON.stringify([call]), [[CLOSE, 0, 1]])).copy), [call, closing]);
});

test('one_message_a_line_keeps_every_other_line_byte_for_byte', async () => {
  const content = `{"role":"user",  "content":"spaced"}\r\n${JSON.stringify(chat.call('lost'))}\n\n{"role":"user","con\n${JSON.stringify(chat.result('x', 'r'))}\n${JSON.stringify(chat.user('last'))}`;
  const { copy } = await repair(content, [[CLOSE, 1, 0], [DROP, 2, 0]]);
  const expected = content.replace(`${JSON.stringify(chat.result('x', 'r'))}\n`, '').replace(/(\{"role":"assistant".*\n)/, (line) => `${line}${JSON.stringify(chat.result('lost', GONE))}\n`);
  assert.equal(copy, expected);
});

test('claude_code_copy_closes_a_call_relinks_what_followed_and_keeps_the_other_lines', async () => {
  const c = claude();
  const records = [c.user(0, 'go'), c.answer(1, 'm1', say('so'), 900, 1), c.answer(1, 'm1', use('lost'), 900, 1), c.user(2, 'on'), c.result(3, 'stray', 'r'), c.answer(4, 'm2', say('b'), 950, 1)];
  const content = lines(records);
  const { copy } = await repair(content, [[CLOSE, 1, 0], [DROP, 3, 0]]);
  const [before, after] = [split(content), split(copy)];
  assert.deepEqual([after[0], after[1], after[2], after[6]], [before[0], before[1], before[2], before[5]]);
  const [closing, relinked, removed] = after.slice(3, 6).map((line) => JSON.parse(line));
  assert.deepEqual([closing.parentUuid, closing.message.content], [records[2].uuid, [{ type: 'tool_result', tool_use_id: 'lost', content: GONE }]]);
  assert.deepEqual(relinked, { ...records[3], parentUuid: closing.uuid });
  assert.deepEqual([removed.type, removed.uuid, removed.parentUuid], ['system', records[4].uuid, records[4].parentUuid]);
});

test('pi_copy_moves_the_index_that_a_compaction_names_and_keeps_a_trees_links', async () => {
  const listed = [pi.session(), pi.user(0, 'one'), pi.answer(1, [pi.call('lost')], 900, 9), pi.user(2, 'two'), pi.compaction(3, 's', { firstKeptEntryIndex: 3, tokensBefore: 9 })];
  const first = split((await repair(lines(listed), [[CLOSE, 1, 0]])).copy).map((line) => JSON.parse(line));
  assert.deepEqual([first.length, first[3].message.toolCallId, first[5].firstKeptEntryIndex], [6, 'lost', 4]);
  const tree = (id, parentId) => ({ id, parentId });
  const linked = [pi.session({ version: 3 }), pi.user(0, 'one', tree('a', null)), pi.answer(1, [pi.call('lost')], 900, 9, tree('b', 'a')), pi.result(2, 'stray', 'r', tree('c', 'b')), pi.user(3, 'two', tree('d', 'c'))];
  const second = split((await repair(lines(linked), [[CLOSE, 1, 0], [DROP, 2, 0]])).copy).map((line) => JSON.parse(line));
  assert.deepEqual(second.slice(1).map(({ parentId }) => parentId), [null, 'a', 'b', second[3].id, 'c']);
  assert.deepEqual([second[4].type, second[4].id, second[5]], ['custom', 'c', linked[4]]);
});

test('codex_copy_drops_a_line_closes_a_custom_call_in_kind_and_strips_an_old_picture', async () => {
  const image = codex.item(1, { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${'QUJD'.repeat(300)}` }] });
  const custom = codex.item(2, { type: 'custom_tool_call', call_id: 'lost', name: 'apply_patch', input: 'x' });
  const records = [codex.meta(), image, custom, codex.usage(3, 900, 900), codex.user(4, 'on'), codex.result(5, 'stray', 'r'), codex.user(6, 'last')];
  const { copy } = await repair(lines(records), [[STRIP, 0, 0], [CLOSE, 1, 0], [DROP, 3, 0]]);
  const [before, after] = [split(lines(records)), split(copy)];
  assert.deepEqual([after[0], after[2], ...after.slice(4)], [before[0], before[2], before[3], before[4], before[6]]);
  assert.deepEqual([after[1].includes('QUJD'), JSON.parse(after[1]).payload.role], [false, 'user']);
  assert.deepEqual(['type', 'call_id'].map((member) => JSON.parse(after[3]).payload[member]), ['custom_tool_call_output', 'lost']);
});

test('copy_reads_as_the_conversation_without_what_was_wrong', async () => {
  const c = claude();
  const { copy } = await repair(lines([c.user(0, 'go'), c.answer(1, 'm1', use('lost'), 900, 1), c.user(2, 'on'), c.result(3, 'stray', 'r'), c.answer(4, 'm2', say('b'), 950, 1)]), [[CLOSE, 1, 0], [DROP, 3, 0]]);
  await withFile(copy, async (path) => {
    const entries = [];
    for await (const [step] of (await recognise(path)).steps) if (step.kind === 'entry') entries.push([step.entry.role, step.entry.group]);
    assert.deepEqual(entries, [[1, 0], [2, 1], [3, 1], [1, 3], [2, 4]]);
  });
});

test('file_that_needs_no_change_is_copied_byte_for_byte_however_it_was_written', async () => {
  const content = '[ {"role":"user","content":"\\u00e9", "cost":1.0},\n{"role":"assistant","content":"a"} ]';
  assert.equal((await repair(content, [])).copy, content);
});

test('pi_text_loses_its_encoded_data_and_minified_code_is_left_alone', async () => {
  const minified = 'function(a,b){return!a&&b?a.c(b):d};'.repeat(100);
  const records = [pi.session(), pi.user(0, `see ${'QUJ1'.repeat(600)} there`), pi.user(1, minified), pi.user(2, 'on')];
  const { copy, printed } = await repair(lines(records), [[STRIP, 0, 0], [STRIP, 1, 0]]);
  assert.deepEqual(JSON.parse(split(copy)[1]).message.content, [say('see [data] there')]);
  assert.equal(split(copy)[2], split(lines(records))[2]);
  assert.equal(printed.match(/stripped/g).length, 1);
});

test('dry_run_lists_the_changes_and_writes_nothing', async () => {
  const { copy, printed, code } = await repair(JSON.stringify([chat.user('u'), chat.result('x', 'r')]), [[DROP, 1, 0]], '--dry-run');
  assert.deepEqual([copy, code], [undefined, 1]);
  assert.match(printed, /Repair \(nothing written\)\n {2}dropped +message 2: a tool result without its call\n/);
  const both = await repair(JSON.stringify([chat.user('u'), chat.result('x', 'r')]), [[DROP, 1, 0]], '--dry-run', '--json', '--repair', '/nowhere/out');
  assert.deepEqual(JSON.parse(both.printed).repair, { out: null, changes: [{ action: 'drop', line: 2 }] });
});

test('nothing_is_overwritten_and_what_cannot_be_written_back_is_said_in_one_line', async () => {
  const own = await withFile('taken', async (taken) => ({ ...(await repair(JSON.stringify([chat.user('u')]), [], '--repair', taken)), left: readFileSync(taken, 'utf8'), taken }));
  assert.deepEqual([own.code, own.left, own.printed, own.err], [2, 'taken', '', `compaction-governor: Cannot repair FILE: ${own.taken} exists, and nothing is overwritten: name another file.\n`]);
  const log = await repair(cassette([{ messages: [chat.user('u')] }, claudeAnswer([use('t')], { input_tokens: 9 })]), [[CLOSE, 1, 0]]);
  assert.deepEqual([log.code, log.copy], [2, undefined]);
  assert.match(log.err, /^compaction-governor: Cannot repair FILE: it is a log of requests, .*\.\n$/);
  const aider = await repair('# aider chat started at 2024-08-05 19:33:02\n\n#### hi\n', []);
  assert.deepEqual([aider.code, aider.err], [2, 'compaction-governor: Cannot repair FILE: aider chat history can be examined, and not written: repair it where it was recorded.\n']);
});
