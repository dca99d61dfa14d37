import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Flag, Role, type Reading } from '../../src/formats/reader.js';
import { openaiResponses as reader } from '../../src/formats/openai/openai-responses.js';

const read = (item: unknown): Reading => reader.message(item);
const print = (item: unknown): string => `${read(item).hi} ${read(item).lo}`;
const picture = `data:image/png;base64,${'A'.repeat(9_000)}`;

test('messages read the same however they are written out', () => {
  const plain = { role: 'user', content: 'hello' };
  const full = { id: 'msg_1', type: 'message', status: 'completed', role: 'user', content: [{ type: 'input_text', text: 'hello' }] };
  assert.equal(print(plain), print(full));
  assert.deepEqual([read(full).role, read({ ...plain, role: 'developer' }).role, read({ ...plain, role: 'assistant' }).role], [Role.user, Role.system, Role.assistant]);
  assert.deepEqual([reader.id(full), reader.id(plain)], ['msg_1', undefined]);
  assert.equal(read({ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }).tokens, 1);
});

test('each kind of call is tied to its output', () => {
  const pairs: [object, object][] = [
    [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }, { type: 'function_call_output', call_id: 'c', output: 'x' }],
    [{ type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '*** Begin' }, { type: 'custom_tool_call_output', call_id: 'c', output: 'x' }],
    [{ type: 'local_shell_call', id: 'i', call_id: 'c', action: { command: ['ls'] } }, { type: 'local_shell_call_output', id: 'c', output: 'x' }],
    [{ type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } }, { type: 'shell_call_output', call_id: 'c', output: [{ stdout: 'x', stderr: '', outcome: { type: 'exit', exit_code: 0 } }] }],
    [{ type: 'apply_patch_call', call_id: 'c', operation: { type: 'delete_file', path: 'a' } }, { type: 'apply_patch_call_output', call_id: 'c', status: 'completed' }],
    [{ type: 'computer_call', call_id: 'c', action: { type: 'click' } }, { type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', image_url: picture } }],
    [{ type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: {} }, { type: 'tool_search_output', call_id: 'c', tools: [] }],
    [{ type: 'mcp_approval_request', id: 'c', name: 'f', arguments: '{}' }, { type: 'mcp_approval_response', approval_request_id: 'c', approve: true }],
    [{ type: 'function_call', callId: 'c', name: 'f', arguments: '{}' }, { type: 'function_call_result', callId: 'c', output: { type: 'text', text: 'x' } }],
  ];
  for (const [call, output] of pairs) {
    const [asked, answered] = [read(call), read(output)];
    assert.equal(asked.calls.length, 1, JSON.stringify(call));
    assert.deepEqual([asked.calls, asked.role, asked.flags], [answered.answers, Role.assistant, Flag.call], JSON.stringify(call));
    assert.equal(answered.role, Role.tool);
    const closed = reader.closing(asked.calls, 'cancelled');
    assert.deepEqual(closed.flatMap((item) => read(item).answers), asked.calls, 'what closes a call answers it');
  }
});

test('what the provider runs is closed in its own item', () => {
  const items = [
    { type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search', query: 'cats' } },
    { type: 'file_search_call', id: 'fs', queries: ['a'], results: [{ text: 'found' }] },
    { type: 'code_interpreter_call', id: 'ci', code: '1+1', outputs: [{ type: 'logs', logs: '2' }] },
    { type: 'mcp_call', id: 'm', name: 'f', arguments: '{}', output: 'done' },
    { type: 'image_generation_call', id: 'ig', result: 'A'.repeat(4_000) },
    { type: 'tool_search_call', call_id: null, execution: 'server', arguments: {} },
  ];
  for (const item of items) assert.deepEqual([read(item).calls, read(item).answers, read(item).role], [[], [], Role.assistant], item.type);
  assert.equal(read(items[4]).flags, Flag.image);
  assert.match(reader.text(items[1]), /found/);
});

test('reasoning and references lead what stands behind them and are never changed', () => {
  const thought = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'gAAAA'.repeat(400) };
  assert.deepEqual([read(thought).flags, read(thought).role], [Flag.leads, Role.assistant]);
  assert.equal(read(thought).tokens, 200);
  assert.equal(reader.text(thought), '[reasoning]');
  assert.equal(print({ ...thought, id: undefined, status: null }), print(thought));
  assert.notEqual(print({ ...thought, encrypted_content: 'gBBBB' }), print(thought));
  assert.equal(read({ type: 'item_reference', id: 'fc_1' }).flags, Flag.leads);
  for (const edited of [reader.capped(thought, 50), reader.replaced(thought, 'x'), reader.withoutMedia(thought)]) assert.equal(edited, thought);
});

test('an encrypted compaction is kept like a system message, one with a text is a summary of the host', () => {
  const opaque = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA'.repeat(500) };
  assert.deepEqual([read(opaque).role, read(opaque).flags], [Role.system, 0]);
  assert.equal(reader.capped(opaque, 50), opaque);
  const readable = read({ type: 'compaction', summary: 'Goal: ship it.' });
  assert.deepEqual([readable.role, readable.flags], [Role.assistant, Flag.hostSummary]);
  const codex = { role: 'user', content: [{ type: 'input_text', text: 'Another language model started to solve this problem and produced a summary of its thinking process.' }] };
  assert.equal(read(codex).flags, Flag.hostSummary);
});

test('images are priced once and shown by their kind', () => {
  const shown = { role: 'user', content: [{ type: 'input_text', text: 'see' }, { type: 'input_image', image_url: picture, detail: 'auto' }, { type: 'input_file', file_id: 'f' }] };
  assert.deepEqual([read(shown).tokens, read(shown).flags, reader.text(shown)], [2_401, Flag.image, 'see\n[image]\n[file]']);
  assert.ok(read(shown).bytes > 9_000);
  assert.deepEqual(reader.withoutMedia(shown).content, [{ type: 'input_text', text: 'see' }, { type: 'input_text', text: '[image]' }, { type: 'input_text', text: '[file]' }]);
});

test('an output that is replaced keeps the shape its kind of call asks for', () => {
  const long = 'z'.repeat(9_000);
  const replaced = (item: object): unknown => Reflect.get(reader.replaced(item, '[cleared]'), 'output');
  assert.equal(replaced({ type: 'function_call_output', call_id: 'c', output: long }), '[cleared]');
  assert.equal(replaced({ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: picture }] }), '[cleared]');
  const outcome = { type: 'exit', exit_code: 3 };
  assert.deepEqual(replaced({ type: 'shell_call_output', call_id: 'c', output: [{ stdout: long, stderr: long, outcome }] }), [{ stdout: '[cleared]', stderr: '', outcome }]);
  const screen = replaced({ type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', image_url: picture } });
  assert.match(JSON.stringify(screen), /^\{"type":"computer_screenshot","image_url":"data:image\/png;base64,.{80,200}"\}$/);
  const drawn = reader.withoutMedia({ type: 'image_generation_call', id: 'ig', ...{ result: 'A'.repeat(4_000) } });
  assert.deepEqual(drawn, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '[image]' }] });
});

test('inputs are capped as what they are: JSON stays JSON, a patch stays text', () => {
  const call = { type: 'function_call', call_id: 'c', name: 'write', arguments: JSON.stringify({ path: 'a', text: 'y'.repeat(5_000) }) };
  const capped = JSON.parse(String(Reflect.get(reader.capped(call, 300), 'arguments')));
  assert.deepEqual([capped.path, capped.text.length < 400], ['a', true]);
  const patch = Reflect.get(reader.capped({ type: 'custom_tool_call', call_id: 'c', ...{ name: 'p', input: `*** Begin\n${'+x\n'.repeat(3_000)}` } }, 300), 'input');
  assert.match(String(patch), /^\*\*\* Begin[^]+characters left out[^]+$/);
});

test('usage is that of the last request, never the sum of a run', () => {
  const entry = (inputTokens: number, endpoint?: string) => ({ inputTokens, outputTokens: 5, totalTokens: inputTokens + 5, endpoint });
  const cases: [unknown, number | undefined][] = [
    [{ usage: { input_tokens: 500, input_tokens_details: { cached_tokens: 400 }, output_tokens: 9, total_tokens: 509 } }, 500],
    [{ type: 'response.completed', response: { usage: { input_tokens: 70, output_tokens: 1 } } }, 70],
    [{ usage: { requests: 3, inputTokens: 900, requestUsageEntries: [entry(200), entry(300, 'responses.create'), entry(4_000, 'responses.compact')] } }, 300],
    [{ usage: { requests: 3, inputTokens: 900 } }, undefined],
    [{ usage: { requests: 1, inputTokens: 900, outputTokens: 1, totalTokens: 901 } }, 900],
    [{ rawResponses: [{ usage: { requests: 1, inputTokens: 100 } }, { usage: { requests: 1, inputTokens: 250 } }] }, 250],
    [{ promptTokens: 12 }, 12],
    [{ usage: null }, undefined],
    [{ object: 'response.compaction', output: [], usage: { input_tokens: 141, output_tokens: 183 } }, undefined],
  ];
  for (const [source, expected] of cases) assert.equal(reader.usage(source)?.promptTokens, expected, JSON.stringify(source));
});

test('a reply gives its text, its end and its usage', () => {
  const message = (content: object[]) => ({ type: 'message', role: 'assistant', content });
  const text = message([{ type: 'output_text', text: 'Goal' }]);
  const cases: [unknown, string, string][] = [
    [{ status: 'completed', output: [{ type: 'reasoning', summary: [] }, text] }, 'Goal', 'stop'],
    [{ type: 'response.completed', response: { status: 'completed', output: [text] } }, 'Goal', 'stop'],
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [text] }, 'Goal', 'length'],
    [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [] }, '', 'refusal'],
    [{ status: 'completed', output: [message([{ type: 'refusal', refusal: 'no' }])] }, '', 'refusal'],
    [{ status: 'completed', output: [text, { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }] }, 'Goal', 'tool_calls'],
    [{ status: 'failed', output: [] }, '', 'unknown'],
    [{ object: 'response.compaction', output: [{ ...text, role: 'user' }, { type: 'compaction', encrypted_content: 'gAAAA' }] }, '', 'stop'],
    [{ output_text: 'Goal' }, 'Goal', 'unknown'],
    ['Goal', 'Goal', 'unknown'],
  ];
  for (const [reply, expected, finish] of cases) assert.deepEqual([reader.reply(reply).text, reader.reply(reply).finish], [expected, finish], JSON.stringify(reply));
  assert.equal(reader.reply({ output: [text], usage: { input_tokens: 7, output_tokens: 2 } }).usage?.promptTokens, 7);
});

test('a prompt refused in the middle of a stream is recognised', () => {
  const error = { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model. Please adjust your input and try again.' };
  for (const source of [{ type: 'error', ...error }, { type: 'response.failed', response: { status: 'failed', error } }, Object.assign(new Error(error.message), { status: 400, error })]) {
    assert.deepEqual(reader.overflow(source), { limit: undefined }, JSON.stringify(source));
  }
});
