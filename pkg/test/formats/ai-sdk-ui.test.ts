import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aiSdkUi, tanstackUi } from '../../src/formats/ai-sdk/ui.js';
import { Flag, Role } from '../../src/formats/reader.js';
import { fingerprint, sameButFor } from './fingerprint.js';

const read = aiSdkUi.message;
const id = (message: unknown): string => fingerprint(aiSdkUi, message);
const assistant = (...parts: unknown[]) => ({ id: 'm', role: 'assistant' as const, parts });
const user = (...parts: unknown[]) => ({ id: 'u', role: 'user' as const, parts });
const text = (value: string) => ({ type: 'text', text: value });
const tool = (state: string, more: object = {}) => ({ type: 'tool-read', toolCallId: 'c', state, input: { path: 'a' }, ...more });
const CLOSED = Flag.call | Flag.result;

test('a stored fingerprint of a UI message finds it again in every later release', () => {
  const golden: [unknown, string][] = [
    [user(text('Grüße, 漢字 🙂')), 'fd449a691f5afad0'],
    [user({ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' }), '764a828204ad09c9'],
    [assistant(tool('input-available')), '48bfabc14947473b'],
    [assistant(tool('output-available', { output: { lines: 3 } })), 'e8899fadebbfacd4'],
  ];
  for (const [message, expected] of golden) assert.equal(id(message), expected, JSON.stringify(message));
});

test('a call is open until its state says that the model gets a result', () => {
  const approval = { id: 'a' };
  const open = [tool('input-streaming', { input: undefined, rawInput: '{"pa' }), tool('input-available'), tool('approval-requested', { approval }), tool('approval-responded', { approval: { id: 'a', approved: true } }), tool('output-available', { output: 'half', preliminary: true }), tool('a state of tomorrow')];
  const closed = [tool('output-available', { output: 'done' }), tool('output-available', { output: null }), tool('output-error', { errorText: 'no such file' }), tool('output-denied', { approval: { id: 'a', approved: false } }), tool('approval-responded', { approval: { id: 'a', approved: false, reason: 'no' } }), tool('a state of tomorrow', { output: 1 })];
  for (const part of open) assert.deepEqual([read(assistant(part)).calls, read(assistant(part)).answers, read(assistant(part)).flags], [['c'], [], Flag.call], JSON.stringify(part));
  for (const part of closed) assert.deepEqual([read(assistant(part)).calls, read(assistant(part)).answers, read(assistant(part)).flags], [[], [], CLOSED], JSON.stringify(part));
});

test('one open call beside answered ones keeps the message open', () => {
  const both = read(assistant(tool('output-available', { output: 'x' }), { ...tool('input-available'), toolCallId: 'd' }));
  assert.deepEqual([both.calls, both.flags], [['d'], Flag.call]);
});

test('a dynamic tool and a tool that a provider ran read like any other', () => {
  const dynamic = { type: 'dynamic-tool', toolName: 'read', toolCallId: 'c', state: 'output-available', input: { path: 'a' }, output: 'x' };
  assert.equal(id(assistant(dynamic)), id(assistant(tool('output-available', { output: 'x', providerExecuted: true }))));
  assert.match(aiSdkUi.text(assistant(dynamic)), /^read\(\{"path":"a"\}\)\nx$/);
});

test('what the model is not shown changes neither fingerprint nor size', () => {
  const plain = assistant(text('answer'), tool('output-available', { output: 'x' }));
  const decorated = { id: 'other', role: 'assistant', metadata: { usage: { inputTokens: 9 } }, createdAt: 7, parts: [{ type: 'step-start' }, { ...text('answer'), state: 'done' }, { type: 'source-url', sourceId: 's', url: 'https://example.org' }, { type: 'data-compaction', data: { tokens: 9 } }, { title: 'Reading', ...tool('output-available', { output: 'x' }) }] };
  sameButFor(read(decorated), read(plain), []);
});

test('reasoning counts and is not shown, and a host may drop it from older turns', () => {
  const thought = { type: 'reasoning', text: 'hm '.repeat(100), providerMetadata: { anthropic: { signature: 's' } } };
  const [bare, thinking] = [assistant(text('a')), assistant(thought, text('a'))];
  assert.deepEqual([id(thinking), aiSdkUi.text(thinking)], [id(bare), 'a']);
  assert.ok(read(thinking).tokens > read(bare).tokens + 50);
  const hidden = read(assistant({ type: 'reasoning', text: '', providerMetadata: { openai: { reasoningEncryptedContent: 'A'.repeat(700) } } }, text('a')));
  assert.ok(hidden.tokens > 200, 'where there is only the seal, it is what counts');
});

test('roles, text, files and results tell messages apart', () => {
  const all = [user(text('a')), assistant(text('a')), { id: 's', role: 'system', parts: [text('a')] }, user(text('b')), user({ type: 'file', mediaType: 'image/png', url: 'data:,1' }), user({ type: 'file', mediaType: 'image/png', url: 'data:,2' }), assistant(tool('input-available')), assistant({ ...tool('input-available'), toolCallId: 'd' }), assistant(tool('output-available', { output: 1 })), assistant(tool('output-available', { output: 2 }))];
  assert.equal(new Set(all.map(id)).size, all.length);
  assert.deepEqual([user(), assistant(), { role: 'system', parts: [] }, { role: 'data', parts: [] }].map((message) => read(message).role), [Role.user, Role.assistant, Role.system, Role.assistant]);
});

test('a user who steers an answer is read where the words stand', () => {
  const steered = assistant(text('so far'), { type: 'steering-message', id: 's', parts: [text('shorter, please'), { type: 'file', mediaType: 'image/png', url: 'data:,1' }] });
  assert.equal(aiSdkUi.text(steered), 'so far\nshorter, please\n[image]');
});

test('an image inside the result of an MCP tool costs what an image costs', () => {
  const shot = { content: [{ type: 'text', text: 'the page' }, { type: 'image', data: 'A'.repeat(400_000), mimeType: 'image/png' }] };
  const reading = read(assistant(tool('output-available', { output: shot })));
  assert.ok(reading.tokens > 1_200 && reading.tokens < 1_300, String(reading.tokens));
  assert.ok(reading.bytes > 400_000 && (reading.flags & Flag.image) > 0);
  assert.match(aiSdkUi.text(assistant(tool('output-available', { output: shot }))), /the page\n\[image\]$/);
});

test('a result that is replaced stays a result that the host\'s own tools can still convert', () => {
  const replaced = (output: unknown) => aiSdkUi.replaced(assistant(text('before'), tool('output-available', { output })), '[cleared]').parts;
  assert.deepEqual(replaced('long text'), [text('before'), tool('output-available', { output: '[cleared]' })]);
  assert.deepEqual(replaced({ content: [{ type: 'text', text: 'long' }], isError: false }), [text('before'), tool('output-available', { output: { content: [{ type: 'text', text: '[cleared]' }] } })]);
  assert.deepEqual(replaced({ rows: [1, 2] }), [text('before'), tool('output-error', { errorText: '[cleared]' })]);
  assert.deepEqual(aiSdkUi.replaced(user({ type: 'file', mediaType: 'image/png', url: 'data:,1' }), '[cleared]').parts, [text('[cleared]')]);
  const open = assistant(tool('input-available'));
  assert.equal(aiSdkUi.replaced(open, '[cleared]'), open, 'a call without a result: the same object');
});

test('a capped message keeps ids, states and signed reasoning, and cuts texts, inputs and outputs', () => {
  const long = 'words '.repeat(2_000);
  const signed = { type: 'reasoning', text: long, providerMetadata: { anthropic: { signature: 's' } } };
  const file = { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${'A'.repeat(10_000)}` };
  const message = assistant(text(long), signed, file, tool('output-available', { input: { path: 'a', body: long }, output: { rows: [long] } }));
  const [words, reasoning, picture, called] = JSON.parse(JSON.stringify(aiSdkUi.capped(message, 400).parts));
  assert.ok(words.text.length < 450 && words.text.startsWith('words ') && words.text.endsWith('words '));
  assert.deepEqual([reasoning, picture], [signed, file]);
  assert.deepEqual([called.toolCallId, called.state, called.input.path], ['c', 'output-available', 'a']);
  assert.ok(called.input.body.length < 450 && called.output.rows[0].length < 450);
  assert.equal(read(aiSdkUi.capped(message, 400)).flags, read(message).flags);
});

test('an image in a result is never cut into a broken one', () => {
  const data = 'Ab0'.repeat(4_000);
  const shot = (bytes: number) => JSON.stringify(aiSdkUi.capped(assistant(tool('output-available', { output: { content: [{ type: 'image', data, mimeType: 'image/png' }] } })), bytes));
  assert.ok(shot(20_000).includes(data), 'small enough: as it is');
  assert.ok(!shot(400).includes('Ab0') && shot(400).includes('[image]'), 'too large: left out whole');
});

test('without media, files and encoded data are placeholders and nothing else changed', () => {
  const encoded = Buffer.from(Array.from({ length: 1_500 }, (_, i) => (i * 7_919) % 251)).toString('base64');
  const message = assistant(text('see'), { type: 'file', mediaType: 'application/pdf', url: 'data:,1' }, tool('output-available', { output: { shot: encoded, note: 'kept' } }));
  assert.deepEqual(aiSdkUi.withoutMedia(message).parts, [text('see'), text('[file]'), tool('output-available', { output: { shot: '[data]', note: 'kept' } })]);
  const plain = assistant(text('see'));
  assert.equal(aiSdkUi.withoutMedia(plain), plain);
});

test('a directory listing that calls its rows files loses none of them', () => {
  const listing = tool('output-available', { output: [{ type: 'file', name: 'a.ts', url: 'https://example.org/a.ts' }] });
  assert.deepEqual(aiSdkUi.withoutMedia(assistant(listing)).parts, [listing]);
});

test('what is made is in the user\'s name, marked, with an id that follows from its text', () => {
  const summary = aiSdkUi.summaryMessage('<cg-summary>\nGoal\n</cg-summary>');
  assert.deepEqual([summary.role, read(summary).flags], ['user', Flag.hostSummary]);
  assert.deepEqual(aiSdkUi.summaryMessage('<cg-summary>\nGoal\n</cg-summary>'), summary);
  assert.notEqual(aiSdkUi.lateResult('a').id, aiSdkUi.lateResult('b').id);
  assert.deepEqual(aiSdkUi.requestMessages('rules', 'material').map(({ role }) => role), ['user']);
  assert.deepEqual(aiSdkUi.closing(['c'], 'gone'), []);
});

test('the id of a message is the host\'s; an empty one is none', () => {
  assert.deepEqual([{ id: 'm1' }, { id: '' }, {}, 'text'].map((message) => aiSdkUi.id(message)), ['m1', undefined, undefined, undefined]);
});

const tanCall = (more: object = {}) => ({ type: 'tool-call', id: 'c', name: 'read', arguments: '{"path":"a"}', state: 'input-complete', ...more });
const tanResult = (content: unknown = 'done') => ({ type: 'tool-result', toolCallId: 'c', content, state: 'complete' });

test('TanStack\'s calls close by an output or by a result in the same message', () => {
  const readings = [[tanCall()], [tanCall({ output: { rows: 1 } })], [tanCall(), tanResult()], [tanCall({ output: { rows: 1 } }), tanResult('{"rows":1}')]].map((parts) => tanstackUi.message(assistant(...parts)));
  assert.deepEqual(readings.map(({ calls, answers, flags }) => [calls, answers, flags]), [[['c'], [], Flag.call], [[], [], CLOSED], [[], [], CLOSED], [[], [], CLOSED]]);
  const alone = tanstackUi.message(assistant(tanResult()));
  assert.deepEqual([alone.calls, alone.answers, alone.flags], [[], ['c'], Flag.result]);
});

test('TanStack keeps an output beside its result, and it counts once', () => {
  const output = { rows: 'x'.repeat(1_000) };
  const both = tanstackUi.message(assistant(tanCall({ output }), tanResult(JSON.stringify(output))));
  assert.ok(both.bytes < 1_200, String(both.bytes));
});

test('TanStack\'s texts, thoughts and media read like those of the AI SDK, and are edited in place', () => {
  const message = assistant({ type: 'thinking', content: 'hm', signature: 'AA' }, { type: 'text', content: 'answer' }, { type: 'image', source: { type: 'data', value: 'AAAA' } }, tanCall(), tanResult('x'.repeat(2_000)));
  assert.match(tanstackUi.text(message), /^answer\n\[image\]\nread\(\{"path":"a"\}\)\nx+$/);
  assert.deepEqual(tanstackUi.replaced(message, '[cleared]').parts.slice(2), [{ type: 'text', content: '[cleared]' }, tanCall(), tanResult('[cleared]')]);
  assert.ok(JSON.stringify(tanstackUi.capped(message, 300)).length < 700);
  assert.equal(fingerprint(tanstackUi, user({ type: 'text', content: 'a' })), id(user(text('a'))));
  assert.deepEqual(tanstackUi.summaryMessage('s').parts, [{ type: 'text', content: 's' }]);
});

test('a call of TanStack\'s that never got a result can be closed behind it', () => {
  const [closing] = tanstackUi.closing(['c'], 'gone');
  assert.deepEqual(tanstackUi.message(closing).answers, ['c']);
});
