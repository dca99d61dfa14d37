import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gemini as reader } from '../../src/formats/gemini/gemini.js';
import { Flag, Role, type Reading } from '../../src/formats/reader.js';

const read = (content: unknown): Reading => reader.message(content);
const print = (content: unknown): string => `${read(content).hi} ${read(content).lo}`;
const user = (...parts: object[]) => ({ role: 'user', parts });
const model = (...parts: object[]) => ({ role: 'model', parts });
const call = (name: string, args: object = {}, id?: string) => ({ functionCall: { name, args, ...(id === undefined ? {} : { id }) } });
const response = (name: string, output: unknown = 'ok', id?: string) => ({ functionResponse: { name, response: { output }, ...(id === undefined ? {} : { id }) } });
const png = { inlineData: { mimeType: 'image/png', data: 'A'.repeat(9_000) } };

test('roles read as user, assistant and tool; a content without one is a user’s', () => {
  const roles = [user({ text: 'a' }), { parts: [{ text: 'a' }] }, model({ text: 'a' }), user(response('f')), { role: 'function', parts: [response('f')] }, { role: 'system', parts: [] }, { role: 'narrator', parts: [] }];
  assert.deepEqual(roles.map((content) => read(content).role), [Role.user, Role.user, Role.assistant, Role.tool, Role.tool, Role.system, Role.assistant]);
});

test('calls and results are paired by name and order, with or without ids on either side', () => {
  const asked = read(model(call('f'), call('g'), call('f'))).calls;
  assert.equal(new Set(asked).size, 3, 'each occurrence has an id of its own');
  assert.deepEqual(read(user(response('f'), response('g'), response('f'))).answers, asked);
  assert.deepEqual(read(model(call('f', {}, 'x'))).calls, read(user(response('f'))).answers, 'hosts answer without the id that came');
  assert.equal(print(model(call('f', {}, 'x'))), print(model(call('f'))), 'the model never sees it');
});

test('thoughts and signatures cost tokens, are no part of the fingerprint, and are never changed', () => {
  const signed = { ...call('f', { text: 'y'.repeat(900) }), thoughtSignature: 'S'.repeat(1_200) };
  assert.equal(print(model({ text: 'hm', thought: true }, { text: 'done' })), print(model({ text: 'done' })));
  assert.equal(print(model(signed)), print(model(call('f', { text: 'y'.repeat(900) }))));
  assert.deepEqual(reader.capped(model(signed, { text: 'z'.repeat(900) }), 100).parts?.[0], signed);
  assert.deepEqual([read(model({ text: 'hm', thought: true })).flags, read(model({ text: '', thoughtSignature: 'abc' })).flags], [Flag.leads, Flag.leads]);
  assert.equal(reader.text(model({ text: 'hm', thought: true }, { text: 'done' })), 'done');
});

test('inline and linked media are priced once and shown by their kind', () => {
  const shown = user({ text: 'see' }, png, { fileData: { mimeType: 'application/pdf', fileUri: 'gs://a' } }, { inline_data: { mime_type: 'audio/wav', data: 'AAAA' } });
  assert.deepEqual([read(shown).tokens, read(shown).flags, reader.text(shown)], [3_601, Flag.image, 'see\n[image]\n[file]\n[audio]']);
  assert.deepEqual(reader.withoutMedia(shown), user({ text: 'see' }, { text: '[image]' }, { text: '[file]' }, { text: '[audio]' }));
  const answered = user({ functionResponse: { name: 'f', response: { output: 'ok' }, parts: [png] } });
  assert.equal(read(answered).flags, Flag.result | Flag.image);
  assert.deepEqual(reader.withoutMedia(answered), user({ functionResponse: { name: 'f', response: { output: 'ok' }, parts: [] } }), 'no place for a text there');
});

test('code that the provider runs is closed in its content', () => {
  const whole = model({ executableCode: { language: 'PYTHON', code: 'print(1)' } }, { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } }, { text: 'It is 1.' });
  assert.deepEqual([read(whole).calls, read(whole).answers, reader.text(whole)], [[], [], 'code(print(1))\n1\n\nIt is 1.']);
});

test('a result that is replaced stays an object, and an input that is capped too', () => {
  assert.deepEqual(reader.replaced(user(response('f', 'z'.repeat(900))), '[cleared]'), user(response('f', '[cleared]')));
  const capped = reader.capped(model(call('f', { path: 'p', text: 'y'.repeat(5_000) })), 300);
  assert.match(JSON.stringify(capped), /^\{"role":"model","parts":\[\{"functionCall":\{"name":"f","args":\{"path":"p","text":"y+.{10,60}characters left out/);
  const blob = Buffer.from(Array.from({ length: 3_000 }, (_, i) => (i * 7_919) % 251)).toString('base64');
  assert.deepEqual(reader.withoutMedia(user(response('f', `see ${blob}`))), user(response('f', 'see [data]')));
  assert.deepEqual(reader.closing(read(model(call('f'), call('f'))).calls, 'gone'), [user(response('f', 'gone'), response('f', 'gone'))]);
});

test('usage is the prompt with its cache inside, and what tools of the provider read beside it', () => {
  const cases: [unknown, number | undefined][] = [
    [{ usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 90, candidatesTokenCount: 5, thoughtsTokenCount: 7, totalTokenCount: 112 } }, 100],
    [{ usageMetadata: { promptTokenCount: 100, toolUsePromptTokenCount: 40, totalTokenCount: 150 } }, 140],
    [{ promptTokenCount: 100 }, 100],
    [{ usageMetadata: { promptTokenCount: 0, totalTokenCount: 0 } }, undefined],
    [{ usageMetadata: { totalTokenCount: 12 } }, undefined],
    [{ usageMetadata: { promptTokenCount: 10, cachedContentTokenCount: 90 } }, undefined],
    [{ promptTokens: 12 }, 12],
  ];
  for (const [source, expected] of cases) assert.equal(reader.usage(source)?.promptTokens, expected, JSON.stringify(source));
  assert.equal(reader.usage(cases[0]?.[0])?.outputTokens, 12);
});

test('a reply gives its text without thoughts, and how it ended', () => {
  const reply = (finishReason: string, ...parts: object[]) => ({ candidates: [{ content: model(...parts), finishReason }] });
  const cases: [unknown, string, string][] = [
    [reply('STOP', { text: 'hm', thought: true }, { text: 'Goal' }), 'Goal', 'stop'],
    [reply('MAX_TOKENS', { text: 'Goa' }), 'Goa', 'length'],
    [reply('SAFETY'), '', 'refusal'],
    [reply('STOP', call('f')), '', 'tool_calls'],
    [reply('OTHER'), '', 'unknown'],
    [{ promptFeedback: { blockReason: 'SAFETY' } }, '', 'refusal'],
    [{ candidates: [] }, '', 'unknown'],
    ['Goal', 'Goal', 'unknown'],
  ];
  for (const [given, text, finish] of cases) assert.deepEqual([reader.reply(given).text, reader.reply(given).finish], [text, finish], JSON.stringify(given));
});

test('a refused prompt is recognised with its limit, in each wording', () => {
  const error = (message: string) => ({ error: { code: 400, status: 'INVALID_ARGUMENT', message } });
  assert.deepEqual(reader.overflow(error('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).')), { limit: 1_048_576 });
  assert.deepEqual(reader.overflow(error('The input token count exceeds the maximum number of tokens allowed 1048576.')), { limit: 1_048_576 });
  assert.deepEqual(reader.overflow(error('Unable to submit request because the input token count is 40000 but model only supports up to 32768.')), { limit: 32_768 });
  assert.deepEqual(reader.overflow(new Error(`got status: 400. ${JSON.stringify(error('The input token count (33000) exceeds the maximum number of tokens allowed (32768).'))}`)), { limit: 32_768 });
  assert.equal(reader.overflow(error('Please ensure that the number of function response parts is equal to the number of function call parts.')), undefined);
});

test('the summary is marked and no bare user turn', () => {
  const wrapped = 'The block below is a summary.\n<cg-summary>\nGoal\n</cg-summary>';
  assert.deepEqual([read(reader.summaryMessage(wrapped)).flags, reader.summaryMessage(wrapped).role], [Flag.hostSummary, 'user']);
});
