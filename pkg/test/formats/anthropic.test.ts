import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anthropic as reader } from '../../src/formats/anthropic/anthropic.js';
import { Flag, Role, type Reading } from '../../src/formats/reader.js';

const read = (message: unknown): Reading => reader.message(message);
const print = (message: unknown): string => `${read(message).hi} ${read(message).lo}`;
const user = (...content: object[]) => ({ role: 'user' as const, content });
const assistant = (...content: object[]) => ({ role: 'assistant' as const, content });
const text = (text: string) => ({ type: 'text', text });
const use = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'read', input });
const result = (id: string, content: unknown = 'ok') => ({ type: 'tool_result', tool_use_id: id, content });
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(9_000) } };

test('a text reads the same as a string and as a block, cache marks and citations aside', () => {
  assert.equal(print({ role: 'user', content: 'hi' }), print(user({ ...text('hi'), cache_control: { type: 'ephemeral' }, citations: null })));
  const odd = { type: 'tool_reference', tool_name: 'f' };
  assert.equal(print(user(odd)), print(user({ ...odd, cache_control: { type: 'ephemeral', ttl: '1h' } })), 'a block of a kind to come as well');
  assert.notEqual(print(user(odd)), print(user({ ...odd, tool_name: 'g' })));
});

test('a user message with results is a tool that answers, whatever else stands in it', () => {
  const answer = read(user(result('a'), result('b', [text('ok'), image]), text('and hurry')));
  assert.deepEqual([answer.role, answer.answers, answer.flags], [Role.tool, ['a', 'b'], Flag.result | Flag.image]);
  const asked = read(assistant(text('let me see'), use('a'), use('b')));
  assert.deepEqual([asked.role, asked.calls, asked.flags], [Role.assistant, ['a', 'b'], Flag.call]);
  assert.equal(read({ role: 'user', content: 'hi' }).role, Role.user);
  assert.equal(read({ role: 'system', content: 'hi' }).role, Role.system);
});

test('tools of the provider are closed in their message, and open where the turn was paused', () => {
  const call = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'cats' } };
  const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [{ type: 'web_search_result', url: 'https://c', title: 'Cats', encrypted_content: 'E'.repeat(900) }] };
  const whole = read(assistant(call, found, text('Cats.')));
  assert.deepEqual([whole.calls, whole.answers, whole.flags], [[], [], 0]);
  assert.match(reader.text(assistant(call, found)), /^web_search\(\{"query":"cats"\}\)\nCats https:\/\/c\n\[page\]$/);
  const [paused, rest] = [read(assistant(call)), read(assistant(found))];
  assert.deepEqual([paused.calls, rest.answers, rest.role], [['server s'], ['server s'], Role.assistant]);
  assert.deepEqual(reader.closing(paused.calls, 'x'), [], 'nobody but the provider can answer');
});

test('thinking costs tokens, is no part of the fingerprint, and is never changed', () => {
  const thinking = { type: 'thinking', thinking: 'x'.repeat(3_500), signature: 'S'.repeat(500) };
  const whole = assistant(thinking, text('done'));
  assert.equal(print(whole), print(assistant(text('done'))), 'hosts drop it from older turns');
  assert.ok(read(whole).tokens > 1_000);
  assert.equal(reader.text(whole), 'done');
  const redacted = { type: 'redacted_thinking', data: 'R'.repeat(700) };
  assert.ok(read(assistant(redacted, text('done'))).tokens >= 200);
  for (const edited of [reader.capped(assistant(thinking, redacted, text('y'.repeat(900))), 100), reader.withoutMedia(assistant(thinking, redacted, text('y')))]) {
    assert.deepEqual(Array.isArray(edited.content) && edited.content.slice(0, 2), [thinking, redacted]);
  }
  assert.equal(read(assistant(thinking)).flags, Flag.leads, 'a thought that stands alone belongs to what comes next');
  assert.equal(read(whole).flags, 0);
});

test("the provider's own compaction is a summary, unless it failed", () => {
  const whole = assistant({ type: 'compaction', content: 'Goal: ship it.' }, text('Hello!'));
  assert.equal(read(whole).flags, Flag.hostSummary);
  assert.equal(reader.text(whole), 'Goal: ship it.\nHello!');
  assert.equal(read(assistant({ type: 'compaction', content: null }, text('Hello!'))).flags, 0);
  assert.equal(read({ role: 'user', content: 'This session is being continued from a previous conversation that ran out of context.' }).flags, Flag.hostSummary);
});

test('documents and images are media, documents of text are text', () => {
  const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'A'.repeat(900) } };
  assert.deepEqual([read(user(pdf, image)).tokens, read(user(pdf)).flags, reader.text(user(pdf, image))], [2_400, Flag.image, '[document]\n[image]']);
  const plain = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a letter' } };
  assert.deepEqual([read(user(plain)).flags, reader.text(user(plain))], [0, 'a letter']);
  const found = { type: 'search_result', source: 'https://a', title: 'A', content: [text('found')] };
  assert.equal(reader.text(user(result('a', [found]))), 'found');
});

test('a message that is made smaller keeps its blocks, ids and calls', () => {
  const answer = user(result('a', [image, text('z'.repeat(900))]), result('b', 'z'.repeat(900)), text('go on'));
  assert.deepEqual(reader.replaced(answer, '[cleared]'), user(result('a', '[cleared]'), result('b', '[cleared]'), text('go on')));
  assert.deepEqual(reader.withoutMedia(answer), user(result('a', [text('[image]'), text('z'.repeat(900))]), result('b', 'z'.repeat(900)), text('go on')));
  const capped = reader.capped(assistant(use('a', { path: 'p', text: 'y'.repeat(5_000) })), 300);
  assert.match(JSON.stringify(capped), /^\{"role":"assistant","content":\[\{"type":"tool_use","id":"a","name":"read","input":\{"path":"p","text":"y+.{10,60}characters left out/);
  const short = assistant(use('a', { path: 'p' }));
  assert.equal(reader.capped(short, 300), short);
});

test('open calls are closed in one message', () => {
  assert.deepEqual(reader.closing(['a', 'b'], 'gone'), [user(result('a', 'gone'), result('b', 'gone'))]);
  assert.deepEqual(reader.closing([], 'gone'), []);
});

test('usage adds what was read from and written to the cache, and takes the last sampling', () => {
  const iteration = (type: string, input_tokens: number) => ({ type, input_tokens, cache_read_input_tokens: 1, cache_creation_input_tokens: 0 });
  const cases: [unknown, number | undefined][] = [
    [{ usage: { input_tokens: 4, cache_read_input_tokens: 90, cache_creation_input_tokens: 6, output_tokens: 1 } }, 100],
    [{ usage: { input_tokens: 4, cache_read_input_tokens: null, cache_creation_input_tokens: null } }, 4],
    [{ usage: { input_tokens: 220, iterations: [iteration('compaction', 55_196), iteration('message', 220)] } }, 221],
    [{ usage: { input_tokens: 300, iterations: [iteration('message', 100), iteration('message', 200)] } }, 201],
    [{ usage: { input_tokens: 220, iterations: [iteration('compaction', 55_196)] } }, undefined],
    [{ type: 'message_start', message: { usage: { input_tokens: 9, cache_read_input_tokens: 1 } } }, 10],
    [{ type: 'message_delta', usage: { output_tokens: 12 } }, undefined],
    [{ promptTokens: 12 }, 12],
  ];
  for (const [source, expected] of cases) assert.equal(reader.usage(source)?.promptTokens, expected, JSON.stringify(source));
});

test('a reply gives its text and how it ended', () => {
  const reply = (stop_reason: string, ...content: object[]) => ({ type: 'message', role: 'assistant', content, stop_reason, usage: { input_tokens: 5, output_tokens: 2 } });
  const cases: [unknown, string, string][] = [
    [reply('end_turn', { type: 'thinking', thinking: 'hm' }, text('Goal')), 'Goal', 'stop'],
    [reply('max_tokens', text('Goa')), 'Goa', 'length'],
    [reply('model_context_window_exceeded', text('Goa')), 'Goa', 'length'],
    [reply('tool_use', use('a')), '', 'tool_calls'],
    [reply('refusal'), '', 'refusal'],
    [reply('pause_turn', text('a')), 'a', 'unknown'],
  ];
  for (const [given, expected, finish] of cases) assert.deepEqual([reader.reply(given).text, reader.reply(given).finish], [expected, finish], JSON.stringify(given));
  assert.equal(reader.reply(reply('end_turn', text('x'))).usage?.promptTokens, 5);
});

test('a refused prompt is recognised with its limit', () => {
  const error = (message: string, type = 'invalid_request_error', status = 400) => Object.assign(new Error(message), { status, error: { type: 'error', error: { type, message } } });
  assert.deepEqual(reader.overflow(error('prompt is too long: 213462 tokens > 200000 maximum')), { limit: 200_000 });
  assert.deepEqual(reader.overflow(error('input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length')), { limit: 200_000 });
  assert.deepEqual(reader.overflow(error('Request exceeds the maximum size', 'request_too_large', 413)), { limit: undefined });
  assert.equal(reader.overflow(error('messages: text content blocks must be non-empty')), undefined);
  assert.equal(reader.overflow(error('Overloaded', 'overloaded_error', 529)), undefined);
});

test('the summary is marked and no bare user turn, and asking for one needs no system slot', () => {
  const wrapped = 'The block below is a summary.\n<cg-summary>\nGoal\n</cg-summary>';
  assert.equal(read(reader.summaryMessage(wrapped)).flags, Flag.hostSummary);
  assert.deepEqual(reader.requestMessages('rules', 'material'), [{ role: 'user', content: 'rules\n\nmaterial' }]);
  assert.deepEqual(reader.instruction('go'), { role: 'user', content: 'go' });
});
