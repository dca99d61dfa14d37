import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aiSdkModel } from '../../src/formats/ai-sdk/model.js';
import { Flag, Role } from '../../src/formats/reader.js';
import { fingerprint, sameButFor } from './fingerprint.js';

const read = aiSdkModel.message;
const id = (message: unknown): string => fingerprint(aiSdkModel, message);
const assistant = (...content: unknown[]) => ({ role: 'assistant' as const, content });
const tool = (...content: unknown[]) => ({ role: 'tool' as const, content });
const text = (value: string) => ({ type: 'text', text: value });
const call = (toolCallId = 'c', more: object = {}) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: { path: 'a' }, ...more });
const result = (output: unknown, toolCallId = 'c') => ({ type: 'tool-result', toolCallId, toolName: 'read', output });
const json = (value: unknown) => ({ type: 'json', value });
const request = { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'c' };
const response = (approved: boolean) => ({ type: 'tool-approval-response', approvalId: 'p', approved, reason: 'not now' });

test('a stored fingerprint of a model message finds it again in every later release', () => {
  const golden: [unknown, string][] = [
    [{ role: 'user', content: 'Grüße, 漢字 🙂' }, 'fd449a691f5afad0'],
    [{ role: 'user', content: [{ type: 'image', image: 'AAAA', mediaType: 'image/png' }] }, 'c143aacbd681ecee'],
    [assistant(call()), '48bfabc14947473b'],
    [tool(result(json({ lines: 3 }))), '894e9ce022b2cf7d'],
    [assistant(call('c', { providerExecuted: true }), result(json({ lines: 3 }))), 'e8899fadebbfacd4'],
  ];
  for (const [message, expected] of golden) assert.equal(id(message), expected, JSON.stringify(message));
});

test('a string and its one text part are the same message, whatever options the host adds', () => {
  assert.equal(id({ role: 'user', content: 'a' }), id({ providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } }, content: [{ ...text('a'), providerOptions: {} }], role: 'user' }));
});

test('a call and its result name the same id, and a message may answer several', () => {
  const [called, answered] = [read(assistant(text('look'), call('c'), call('d'))), read(tool(result(json(1), 'd'), result(json(2), 'c')))];
  assert.deepEqual([called.calls, called.answers, called.flags, called.role], [['c', 'd'], [], Flag.call, Role.assistant]);
  assert.deepEqual([answered.calls, answered.answers, answered.flags, answered.role], [[], ['d', 'c'], Flag.result, Role.tool]);
});

test('a call that its provider answered in the same message is closed, one that it answers later is open', () => {
  const closed = read(assistant(call('c', { providerExecuted: true }), result(json(1))));
  assert.deepEqual([closed.calls, closed.answers, closed.flags], [[], [], Flag.call | Flag.result]);
  const later = [read(assistant(call('c', { providerExecuted: true }))), read(assistant(result(json(1))))] as const;
  assert.deepEqual([later[0].calls, later[1].answers], [['c'], ['c']]);
});

test('an approval that is asked for waits beside its call, and its answer belongs to it', () => {
  const asked = read(assistant(call(), request));
  const answered = read(tool(response(true)));
  assert.equal(asked.calls.length, 2);
  assert.deepEqual(answered.answers, [asked.calls[1]]);
  assert.equal(aiSdkModel.text(tool(response(false))), 'denied not now');
  assert.notEqual(id(tool(response(true))), id(tool(response(false))));
});

test('every kind of output is shown to a summariser as the model saw it', () => {
  const shown = (output: unknown): string => aiSdkModel.text(tool(result(output)));
  const cases: [unknown, string][] = [
    [{ type: 'text', value: 'plain' }, 'plain'],
    [{ type: 'error-text', value: 'failed' }, 'failed'],
    [json({ a: 1 }), '{"a":1}'],
    [{ type: 'execution-denied', reason: 'no' }, 'no'],
    [{ type: 'content', value: [text('page'), { type: 'image-data', data: 'A'.repeat(9_000), mediaType: 'image/png' }, { type: 'file-url', url: 'https://example.org/a.pdf', mediaType: 'application/pdf' }] }, 'page\n[image]\n[file]'],
    ['as an older version kept it', 'as an older version kept it'],
  ];
  for (const [output, expected] of cases) assert.equal(shown(output), expected);
});

test('media cost their price and are told apart by their data, in every form that it has', () => {
  const image = (data: unknown) => ({ role: 'user', content: [{ type: 'image', image: data }] });
  const file = (data: unknown) => ({ role: 'user', content: [{ type: 'file', mediaType: 'application/pdf', data }] });
  const all = [image('AAAA'), image('AAAB'), image(new URL('https://example.org/a.png')), image(new URL('https://example.org/b.png')), image(new Uint8Array([1, 2])), image(new Uint8Array([1, 3])), image(new Uint8Array([1, 4]).buffer), file('PDFA'), file({ type: 'data', data: new Uint8Array([1, 2]) }), file({ type: 'url', url: new URL('https://example.org/a.pdf') }), file({ type: 'reference', reference: { openai: 'file-1' } })];
  assert.ok(all.every((message) => read(message).tokens === 1_200 && (read(message).flags & Flag.image) > 0));
  assert.equal(new Set(all.map(id)).size, all.length - 1, 'a bare and a tagged form of the same data are one');
  assert.equal(aiSdkModel.text(file({ type: 'text', text: 'inline' })), 'inline');
});

test('a replaced result keeps its id and its tool, and is text', () => {
  const message = tool(result(json({ rows: [1] })), result({ type: 'text', value: 'b' }, 'd'));
  assert.deepEqual(aiSdkModel.replaced(message, '[cleared]'), tool(result({ type: 'text', value: '[cleared]' }), result({ type: 'text', value: '[cleared]' }, 'd')));
  assert.deepEqual(read(aiSdkModel.replaced(message, '[cleared]')).answers, ['c', 'd']);
});

test('a capped message keeps its structure: inputs stay objects, outputs their kind, images whole', () => {
  const long = 'words '.repeat(2_000);
  const image = { type: 'image-data', data: 'A'.repeat(9_000), mediaType: 'image/png' };
  const signed = { type: 'reasoning', text: long, providerOptions: { openai: { itemId: 'rs_1' } } };
  const called = JSON.parse(JSON.stringify(aiSdkModel.capped(assistant(signed, text(long), call('c', { input: { path: 'a', body: long } })), 400).content));
  assert.deepEqual([called[0], called[2].toolCallId, called[2].input.path], [signed, 'c', 'a']);
  assert.ok(called[1].text.length < 450 && called[2].input.body.length < 450);
  const answered = JSON.parse(JSON.stringify(aiSdkModel.capped(tool(result({ type: 'text', value: long }), result(json({ rows: [long] })), result({ type: 'content', value: [text(long), image] })), 400).content));
  assert.ok(answered[0].output.value.length < 450 && answered[1].output.value.rows[0].length < 450 && answered[2].output.value[0].text.length < 450);
  assert.deepEqual([answered[1].output.type, answered[2].output.value[1]], ['json', image]);
});

test('without media, images in messages and in results are placeholders', () => {
  const parts = { type: 'content', value: [text('page'), { type: 'image-data', data: 'A'.repeat(9_000), mediaType: 'image/png' }] };
  assert.deepEqual(aiSdkModel.withoutMedia(tool(result(parts))), tool(result({ type: 'content', value: [text('page'), text('[image]')] })));
  assert.deepEqual(aiSdkModel.withoutMedia({ role: 'user', content: [{ type: 'image', image: 'AAAA' }] }), { role: 'user', content: [text('[image]')] });
});

test('open calls and approvals are closed by a tool message that answers each', () => {
  const asked = read(assistant(call(), request));
  const [closing] = aiSdkModel.closing(asked.calls, 'interrupted');
  assert.deepEqual(closing, tool({ type: 'tool-result', toolCallId: 'c', toolName: 'tool', output: { type: 'error-text', value: 'interrupted' } }, { type: 'tool-approval-response', approvalId: 'p', approved: false, reason: 'interrupted' }));
  assert.deepEqual(read(closing).answers, asked.calls);
});

test('what is made is in the user\'s name, and a summary is recognised when the host stores it', () => {
  const made = [aiSdkModel.summaryMessage('x\n<cg-summary>\nGoal\n</cg-summary>'), aiSdkModel.lateResult('late'), aiSdkModel.instruction('go on'), ...aiSdkModel.requestMessages('rules', 'material')];
  assert.deepEqual(made.map(({ role }) => role), ['user', 'user', 'user', 'user']);
  assert.equal(read(made[0]).flags, Flag.hostSummary);
  sameButFor(read({ role: 'user', content: 'rules' }), read(made[3]), ['hi', 'lo', 'tokens', 'bytes']);
});
