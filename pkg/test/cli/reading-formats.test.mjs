// The further formats: what is an entry, a call, a usage record and a compaction in each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chat, filler, lines, use, withFile } from './fixtures.mjs';
import { cassette, claudeAnswer, codex, geminiAnswer, geminiChat, geminiCli, hands, handsRun, kimi, outputText, response } from './formats.mjs';
import { load } from './load.mjs';

const { recognise } = await load('read/recognise.ts');

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
const prompts = (steps) => of(steps, 'usage').map((step) => step.promptTokens);
const [SYSTEM, USER, ASSISTANT, TOOL] = [0, 1, 2, 3];

test('codex_answer_of_several_items_is_one_call_with_the_usage_that_follows_it_and_never_the_total', async () => {
  const { format, unit, steps } = await read(lines([
    codex.meta(), codex.started(64_000), codex.context(), codex.user(1, '<environment_context>\n</environment_context>'), codex.user(2, 'go'),
    codex.think(3), codex.call(4, 'a'), codex.call(4, 'b'), codex.usage(5, 900, 900), codex.result(6, 'a', 'one'), codex.result(6, 'b', [{ type: 'input_text', text: 'two' }]),
    codex.usage(7, 900, 900), codex.say(8, 'done'), codex.usage(9, 1_100, 2_000),
  ]));
  assert.deepEqual([format, unit], ['codex', 'line']);
  assert.equal(kinds(steps), 'session entry entry call usage entry entry entry call usage entry');
  assert.deepEqual(prompts(steps), [900, 1_100]);
  assert.deepEqual(of(steps, 'call').map(({ model, window }) => [model, window]), [['gpt-test', 64_000], ['gpt-test', 64_000]]);
  assert.deepEqual(entries(steps).map(({ role, flags, group, calls }) => [role, flags, group, calls]), [
    [USER, 1, 0, 0], [USER, 0, 1, 0], [ASSISTANT, 2, 2, 2], [TOOL, 4, 2, 0], [TOOL, 4, 2, 0], [ASSISTANT, 0, 5, 0],
  ]);
});

test('codex_compaction_covers_all_entries_weighs_what_took_their_place_and_its_event_for_the_screen_is_none', async () => {
  const { steps } = await read(lines([
    codex.meta(), codex.user(1, 'go'), codex.say(2, 'a'), codex.usage(3, 900, 900), codex.compacted(4, [filler(40), filler(10)]),
    { timestamp: '2026-03-01T10:00:05Z', type: 'event_msg', payload: { type: 'context_compacted' } }, codex.user(6, 'on'),
  ]));
  assert.deepEqual(of(steps, 'compaction').map(({ coversEntries, summaryTokens }) => [coversEntries, summaryTokens]), [[2, 50]]);
});

test('codex_web_search_waits_for_no_result_and_a_usage_event_without_figures_is_none', async () => {
  const { steps } = await read(lines([
    codex.meta(), codex.user(1, 'go'), codex.item(2, { type: 'web_search_call', status: 'completed', action: { query: 'x' } }),
    { timestamp: '2026-03-01T10:00:03Z', type: 'event_msg', payload: { type: 'token_count', info: null } }, codex.say(4, 'a'),
  ]));
  assert.deepEqual(entries(steps).map(({ calls }) => calls), [0, 0]);
  assert.deepEqual([of(steps, 'call').length, of(steps, 'usage').length], [1, 0]);
});

test('kimi_usage_is_read_once_a_step_and_that_of_a_compaction_belongs_to_no_call', async () => {
  const { format, steps } = await read(lines([
    kimi.meta(), kimi.message(1, 'hi'), kimi.message(1, 'a reminder', 'injection'), kimi.request(2), kimi.say(3, 'so'), kimi.call(3, 'Bash_0'), kimi.result(4, 'Bash_0', 'out'), kimi.end(4, 1_000), kimi.usage(4, 1_000),
    kimi.request(5), kimi.say(6, 'done'), kimi.end(6, 1_200), kimi.usage(6, 1_200), kimi.begin(7), kimi.request(7, 'compaction'), kimi.usage(8, 1_500, 'session'), kimi.compaction(9, filler(70)),
  ]));
  assert.equal(format, 'kimi');
  assert.equal(kinds(steps), 'session entry entry call usage entry entry call usage entry compaction');
  assert.deepEqual(prompts(steps), [1_000, 1_200]);
  assert.deepEqual(entries(steps).map(({ flags, group }) => [flags, group]), [[0, 0], [1, 1], [2, 2], [4, 2], [0, 4]]);
  const [{ coversEntries, summaryTokens, tokensBefore, trigger, cost }] = of(steps, 'compaction');
  assert.deepEqual([coversEntries, summaryTokens, tokensBefore, trigger, cost], [5, 70, 1_500, 'manual', { promptTokens: 1_500, outputTokens: 9, separate: true }]);
});

test('kimi_request_that_was_never_answered_is_a_call_without_an_entry', async () => {
  const { steps } = await read(lines([kimi.meta(), kimi.message(1, 'hi'), kimi.request(2), kimi.message(9, 'hi'), kimi.request(10), kimi.say(11, 'yes')]));
  assert.equal(kinds(steps), 'session entry call entry call entry');
});

test('gemini_cli_message_for_the_screen_is_none_and_usage_of_zeros_is_a_record_without_a_figure', async () => {
  const { format, unit, steps } = await read(JSON.stringify(geminiChat([
    geminiCli.user(0, 'go'), geminiCli.answer(1, '', { input: 500, cached: 400, output: 3 }, [geminiCli.tool('r-1', 'one'), geminiCli.tool('r-2', 'two')]), geminiCli.info(2), geminiCli.answer(3, 'done', { input: 0, output: 0, cached: 0 }),
  ]), null, 1));
  assert.deepEqual([format, unit], ['gemini_cli', 'message']);
  assert.equal(kinds(steps), 'session entry call usage entry entry entry call usage entry');
  assert.deepEqual(prompts(steps), [500, 0]);
  assert.deepEqual(entries(steps).map(({ calls, group }) => [calls, group]), [[0, 0], [2, 1], [0, 1], [0, 1], [0, 4]]);
});

test('openhands_actions_of_one_answer_are_one_call_with_its_own_usage_and_each_run_is_a_conversation', async () => {
  const run = handsRun(
    [hands.system('s'), hands.user('go'), hands.recall('ctx'), hands.act('r1', 't1'), hands.act('r1', 't2'), hands.saw('r1', 't1', 'one'), hands.saw('r1', 't2', 'two'), hands.act('r2', 't3'), hands.saw('r2', 't3', 'three')],
    [{ response_id: 'r1', prompt_tokens: 700, completion_tokens: 4 }, { response_id: 'r2', prompt_tokens: 800, completion_tokens: 4 }],
  );
  const { format, steps } = await read(lines([run, run]));
  assert.equal(format, 'openhands');
  assert.deepEqual(of(steps, 'session').map(({ line, label }) => [line, label]), [[1, 'run 1'], [2, 'run 2']]);
  assert.equal(kinds(steps.slice(0, steps.length / 2)), 'session entry entry entry call usage entry entry entry call usage entry entry');
  assert.deepEqual(prompts(steps).slice(0, 2), [700, 800]);
  assert.deepEqual(entries(steps).slice(0, 6).map(({ role, flags, calls }) => [role, flags, calls]), [[SYSTEM, 0, 0], [USER, 0, 0], [USER, 1, 0], [ASSISTANT, 2, 2], [TOOL, 4, 0], [TOOL, 4, 0]]);
});

test('swe_agent_history_is_read_once_and_other_agents_are_left_out', async () => {
  const call = { ...chat.call('t1'), agent: 'main' };
  const result = { role: 'tool', content: 'r', tool_call_ids: ['t1'], agent: 'main' };
  const history = [chat.system('s'), chat.user('go'), call, result, { ...chat.user('seen'), message_type: 'observation' }, { ...chat.answer('x'), agent: 'critic' }];
  const { format, steps } = await read(JSON.stringify({ trajectory: [{ messages: history }, { messages: history }], history, info: { model_stats: { tokens_sent: 0 } } }));
  assert.equal(format, 'swe_agent');
  assert.equal(kinds(steps), 'session entry entry call entry entry entry note');
  assert.deepEqual(entries(steps).map(({ flags, group }) => [flags, group]), [[0, 0], [0, 1], [2, 2], [4, 2], [1, 4]]);
});

const AIDER = `left over
# aider chat started at 2024-08-05 19:33:02

> Aider v0.47.2
> Model: gpt-test with diff edit format

#### fix the
#### spinner

Here it is:

done

> Tokens: 5,244 sent, 604 received. Cost: $0.02 request, $0.02 session.
> Applied edit

#### /diff

> diff --git

# aider chat started at 2024-08-05 20:00:00

#### again

Yes.
> Tokens: 12k sent, 3k cache hit, 1.5k received. Cost: $0.02 message.
`;

test('aider_chats_of_a_file_are_conversations_with_the_usage_that_aider_printed_and_commands_are_no_turns', async () => {
  const { format, unit, steps } = await read(AIDER);
  assert.deepEqual([format, unit], ['aider', 'line']);
  assert.deepEqual(of(steps, 'session').map(({ label, at }) => [label, at]), [['chat 1', Date.parse('2024-08-05T19:33:02Z')], ['chat 2', Date.parse('2024-08-05T20:00:00Z')]]);
  assert.equal(kinds(steps), 'session entry call usage entry session entry call usage entry');
  assert.deepEqual(of(steps, 'usage').map((step) => [step.promptTokens, step.outputTokens]), [[5_244, 604], [12_000, 1_500]]);
  assert.equal(of(steps, 'call')[0].model, 'gpt-test');
  assert.equal(entries(steps)[0].bytes, 'fix the\nspinner'.length);
});

test('sharegpt_result_answers_the_last_call_and_each_member_is_a_conversation', async () => {
  const say = (from, value) => ({ from, value });
  const one = { conversations: [say('human', 'u'), say('function_call', '{}'), say('observation', 'r'), say('gpt', 'a')], tools: '[]' };
  const { format, steps } = await read(JSON.stringify([one, one]));
  assert.equal(format, 'sharegpt');
  assert.deepEqual(of(steps, 'session').map(({ label }) => label), ['run 1', 'run 2']);
  assert.deepEqual(entries(steps).slice(0, 4).map(({ role, group, calls }) => [role, group, calls]), [[USER, 0, 0], [ASSISTANT, 1, 1], [TOOL, 1, 0], [ASSISTANT, 3, 0]]);
});

test('anthropic_prompt_includes_its_cache_and_tool_results_of_one_message_are_entries_of_their_own', async () => {
  const first = [chat.user('go')];
  const answer = [{ type: 'text', text: 'so' }, use('t1'), use('t2')];
  const results = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'one' }, { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'image', source: { type: 'base64', data: 'A'.repeat(2_000) } }] }] };
  const usage = { input_tokens: 3, cache_creation_input_tokens: 40, cache_read_input_tokens: 500, output_tokens: 9 };
  const { format, steps } = await read(cassette([{ messages: first }, claudeAnswer(answer, usage)], [{ messages: [...first, { role: 'assistant', content: answer }, results] }, claudeAnswer([{ type: 'text', text: 'b' }], { ...usage, cache_creation_input_tokens: null })]));
  assert.equal(format, 'anthropic');
  assert.equal(kinds(steps), 'session entry call usage entry entry entry call usage entry');
  assert.deepEqual(prompts(steps), [543, 503]);
  assert.deepEqual(entries(steps).map(({ flags, group, mediaBytes }) => [flags, group, mediaBytes]), [[0, 0, 0], [2, 1, 0], [4, 1, 0], [12, 1, 2_000], [0, 4, 0]]);
});

test('anthropic_compaction_on_the_server_stands_before_its_answer_and_only_the_last_iteration_is_the_prompt', async () => {
  const usage = { input_tokens: 220, output_tokens: 8, iterations: [{ type: 'compaction', input_tokens: 55_000, output_tokens: 125 }, { type: 'message', input_tokens: 230, output_tokens: 8 }] };
  const content = [{ type: 'compaction', content: filler(120) }, { type: 'text', text: 'hello' }];
  const first = [chat.user(filler(9_000))];
  const { steps } = await read(cassette([{ messages: first }, claudeAnswer(content, usage)], [{ messages: [...first, { role: 'assistant', content }, chat.user('what?')] }, claudeAnswer([{ type: 'text', text: 'b' }], { input_tokens: 239, output_tokens: 2 })]));
  assert.equal(kinds(steps), 'session entry compaction call usage entry entry call usage entry');
  assert.deepEqual(prompts(steps), [230, 239]);
  const [{ coversEntries, summaryTokens, tokensBefore, cost }] = of(steps, 'compaction');
  assert.deepEqual([coversEntries, summaryTokens, tokensBefore, cost], [1, 120, 55_000, { promptTokens: 55_000, outputTokens: 125, separate: false }]);
});

test('anthropic_compaction_without_content_failed_and_is_none', async () => {
  const { steps } = await read(cassette([{ messages: [chat.user('u')] }, claudeAnswer([{ type: 'compaction', content: null }, { type: 'text', text: 'a' }], { input_tokens: 9, output_tokens: 1 })]));
  assert.equal(kinds(steps), 'session entry call usage entry');
});

test('openai_responses_chained_request_goes_on_from_the_answer_it_names_and_a_compaction_request_is_no_step', async () => {
  const sealed = { type: 'compaction', encrypted_content: 'g'.repeat(400) };
  const ask = (text, over = {}) => ({ input: [{ role: 'user', content: text }], ...over });
  const { format, steps } = await read(cassette(
    [ask('one'), response('r1', [outputText('a')], 14)],
    [ask('two', { previous_response_id: 'r1' }), response('r2', [outputText('b')], 36)],
    [{ input: [], previous_response_id: 'r2' }, response('r3', [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'one' }] }, sealed], 141, { object: 'response.compaction' })],
    [{ input: [sealed, { role: 'user', content: 'three' }] }, response('r4', [outputText('c')], 276)],
  ));
  assert.equal(format, 'openai_responses');
  assert.equal(kinds(steps), 'session entry call usage entry entry call usage entry compaction entry call usage entry');
  assert.deepEqual(prompts(steps), [14, 36, 276]);
  const [{ coversEntries, summaryTokens, cost }] = of(steps, 'compaction');
  assert.deepEqual([coversEntries, summaryTokens, cost], [4, 5, { promptTokens: 141, outputTokens: 5, separate: true }]);
});

test('openai_responses_compaction_item_behind_an_answer_covers_it_and_comes_back_once', async () => {
  const sealed = { type: 'compaction', encrypted_content: 'g'.repeat(400) };
  const first = [{ role: 'user', content: 'one' }];
  const { steps } = await read(cassette(
    [{ input: first }, response('r1', [outputText('a'), sealed], 900)],
    [{ input: [...first, { role: 'assistant', content: 'a' }, sealed, { role: 'user', content: 'two' }] }, response('r2', [outputText('b')], 300)],
  ));
  assert.equal(kinds(steps), 'session entry call usage entry compaction entry call usage entry');
  assert.deepEqual(of(steps, 'compaction').map(({ coversEntries, summaryTokens }) => [coversEntries, summaryTokens]), [[2, 86]]);
});

test('openai_responses_reasoning_and_calls_are_one_answer_and_a_picture_in_an_output_is_counted_flat', async () => {
  const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' };
  const think = { type: 'reasoning', summary: [], encrypted_content: 'x' };
  const output = { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_image', image_url: `data:image/jpeg;base64,${'A'.repeat(3_000)}` }] };
  const first = [{ role: 'user', content: 'go' }];
  const { steps } = await read(cassette([{ input: first }, response('r1', [think, call], 47)], [{ input: [...first, think, call, output] }, response('r2', [think, outputText('a')], 522)]));
  assert.equal(kinds(steps), 'session entry call usage entry entry call usage entry');
  assert.deepEqual(entries(steps).map(({ tokens, flags, mediaBytes }) => [tokens, flags, mediaBytes]).slice(1, 3), [[1, 2, 0], [1_200, 12, 3_000]]);
});

test('gemini_call_without_an_id_goes_by_its_name_and_what_tools_added_is_part_of_the_prompt', async () => {
  const first = [{ role: 'user', parts: [{ text: 'go' }] }];
  const call = { functionCall: { name: 'f', args: {} }, thoughtSignature: 'abc' };
  const again = { functionCall: { name: 'f', args: {}, id: 'made-up' } };
  const result = { role: 'user', parts: [{ functionResponse: { name: 'f', id: 'made-up', response: { ok: 1 }, parts: [{ inline_data: { data: 'A'.repeat(900) } }] } }] };
  const { format, steps } = await read(cassette(
    [{ contents: first }, geminiAnswer([call], { promptTokenCount: 36, cachedContentTokenCount: 30, thoughtsTokenCount: 2, candidatesTokenCount: 1 })],
    [{ contents: [...first, { role: 'model', parts: [again] }, result] }, geminiAnswer([{ text: 'a' }], { promptTokenCount: 300, toolUsePromptTokenCount: 7 })],
  ));
  assert.equal(format, 'gemini');
  assert.equal(kinds(steps), 'session entry call usage entry entry call usage entry');
  assert.deepEqual(prompts(steps), [36, 307]);
  assert.deepEqual(entries(steps).map(({ group }) => group), [0, 1, 1, 3], 'a client may name the calls that came without an id');
  const plain = await read(JSON.stringify([...first, { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] }, { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] }]));
  assert.deepEqual(entries(plain.steps).map(({ group, calls }) => [group, calls]), [[0, 0], [1, 1], [1, 0]]);
});

test('ui_message_call_with_its_result_beside_it_waits_for_nothing_and_one_that_awaits_approval_stays_open', async () => {
  const part = (state, over = {}) => ({ type: 'dynamic-tool', toolName: 'f', toolCallId: state, state, input: {}, ...over });
  const assistant = (parts) => ({ id: '', role: 'assistant', parts: [{ type: 'step-start' }, ...parts] });
  const { format, steps } = await read(JSON.stringify([{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] }, assistant([part('output-available', { output: 'x' }), part('output-error', { errorText: 'no' })]), assistant([part('approval-requested')])]));
  assert.equal(format, 'ui_messages');
  assert.deepEqual(entries(steps).map(({ role, calls }) => [role, calls]), [[USER, 0], [ASSISTANT, 0], [ASSISTANT, 1]]);
});

test('tanstack_message_counts_a_result_once_and_reads_text_from_content', async () => {
  const parts = [{ type: 'text', content: 'four' }, { type: 'tool-call', id: 't', name: 'f', arguments: '{}', output: { a: 1 } }, { type: 'tool-result', toolCallId: 't', content: '{"a":1}', state: 'complete' }];
  const { format, steps } = await read(JSON.stringify([{ prompt: 'p', messages: [{ id: 'm', role: 'assistant', parts }] }]));
  assert.equal(format, 'ui_messages');
  assert.deepEqual(entries(steps).map(({ bytes, calls }) => [bytes, calls]), [['four'.length + 'f{}'.length + '{"a":1}'.length, 0]]);
});

test('langchain_thread_stored_and_serialised_messages_read_the_same_and_no_usage_is_not_zero', async () => {
  const usage_metadata = { input_tokens: 80, output_tokens: 3 };
  const plain = [{ type: 'human', content: 'go' }, { type: 'ai', content: '', tool_calls: [{ id: 'c', name: 'f', args: {} }], usage_metadata }, { type: 'tool', tool_call_id: 'c', content: 'r' }, { type: 'ai', content: 'done', tool_calls: [], usage_metadata: null }];
  const stored = plain.map(({ type, ...data }) => ({ type, data }));
  const serialised = plain.map(({ type, ...kwargs }) => ({ lc: 1, type: 'constructor', id: ['langchain_core', 'messages', { human: 'HumanMessage', ai: 'AIMessage', tool: 'ToolMessage' }[type]], kwargs }));
  const seen = [];
  for (const messages of [{ values: { messages: plain } }, stored, serialised]) {
    const { format, steps } = await read(JSON.stringify(messages));
    assert.deepEqual([format, kinds(steps), prompts(steps)], ['langchain', 'session entry call usage entry entry call entry', [80]]);
    seen.push(entries(steps).map(({ said: { texts, calls, answers }, ...entry }) => ({ ...entry, texts, calls, answers })));
  }
  assert.deepEqual(seen[1], seen[0]);
  assert.deepEqual(seen[2], seen[0]);
});

test('host_that_sends_a_summary_in_the_place_of_what_was_there_made_a_compaction_and_the_conversation_goes_on', async () => {
  const start = [chat.system('s'), chat.user('one'), chat.answer('a'), chat.user('two')];
  const summary = chat.user(`This session is being continued from a previous conversation. ${filler(60)}`);
  const { steps } = await read(lines([chat.exchange(start, chat.answer('b'), 900, 5), chat.exchange([start[0], summary, start[3], chat.answer('b'), chat.user('three')], chat.answer('c'), 300, 5)]));
  assert.equal(kinds(steps), 'session entry entry entry entry call usage entry compaction entry call usage entry');
  assert.deepEqual(of(steps, 'compaction').map(({ coversEntries }) => coversEntries), [3]);
});

test('summary_that_a_host_left_in_its_history_is_marked_in_any_role_but_that_of_a_tool', async () => {
  const text = 'Here is a summary of the conversation to date:\n\nall good';
  const { steps } = await read(JSON.stringify([chat.system(text), chat.user(text), chat.answer(text), chat.call('t'), chat.result('t', text), chat.user('plain')]));
  assert.deepEqual(entries(steps).map(({ flags }) => flags & 16), [16, 16, 16, 0, 0, 0]);
});

test('text_that_is_mostly_encoded_data_is_marked_as_a_blob', async () => {
  const { steps } = await read(JSON.stringify([chat.user(`look: ${'QUJ1'.repeat(900)}`), chat.user(filler(500))]));
  assert.deepEqual(entries(steps).map(({ flags, mediaBytes }) => [flags, mediaBytes]), [[64, 3_600], [0, 0]]);
});
