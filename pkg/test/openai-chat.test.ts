import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openAiChat } from '../src/formats/openai/openai-chat.js';
import { Flag, Role, type Reading } from '../src/formats/reader.js';

const reader = openAiChat();
const read = (message: unknown): Reading => reader.message(message);
const id = (message: unknown): string => [read(message).hi, read(message).lo].map((word) => word.toString(16).padStart(8, '0')).join('');

const call = (id: string) => ({ role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }] });
const result = (id: string, content = 'done') => ({ role: 'tool', tool_call_id: id, content });

test('a stored fingerprint finds its message again in every later release', () => {
  const golden = {
    user: [{ role: 'user', content: 'Grüße, 漢字 🙂' }, 'fd449a691f5afad0'],
    parts: [{ role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] }, 'dd8529cd001b4acc'],
    call: [call('call_1'), 'ef86444ca878e7a0'],
    result: [result('call_1'), 'b1c17bc554ef96d3'],
    system: [{ role: 'system', content: '' }, '152424382c31af24'],
  } as const;
  for (const [name, [message, expected]] of Object.entries(golden)) assert.equal(id(message), expected, name);
});

test('a fingerprint does not depend on key order, absent fields, or what only the host knows', () => {
  const stored = { tool_calls: call('c').tool_calls, content: undefined, role: 'assistant', refusal: null, annotations: [], createdAt: 7, reasoning_content: 'hm' };
  assert.equal(id(stored), id(call('c')));
  assert.equal(id({ ...stored, content: '' }), id(call('c')));
  const use = (input: object) => ({ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input }] });
  assert.equal(id(use({ a: 1, b: { c: 2, d: 3 } })), id(use({ b: { d: 3, c: 2 }, a: 1 })));
  assert.notEqual(id(use({ a: 1, b: 2 })), id(use({ a: 2, b: 1 })));
  assert.equal(id({ role: 'user', content: 'x' }), id({ role: 'user', content: [{ type: 'text', text: 'x' }] }));
});

test('a fingerprint changes with role, text, call and the call that is answered', () => {
  const all = [{ role: 'user', content: 'x' }, { role: 'assistant', content: 'x' }, { role: 'user', content: 'y' }, call('c'), call('d'), result('c'), result('d'), result('c', 'other')];
  assert.equal(new Set(all.map(id)).size, all.length);
});

test('roles read as system, user, assistant and tool; one that is not known is never taken for a user', () => {
  const roles = { system: Role.system, developer: Role.system, user: Role.user, assistant: Role.assistant, tool: Role.tool, function: Role.tool, data: Role.assistant };
  for (const [role, expected] of Object.entries(roles)) assert.equal(read({ role, content: '' }).role, expected, role);
});

test('a call and its result are flagged and name the same id', () => {
  assert.deepEqual([read(call('c')).calls, read(call('c')).flags], [['c'], Flag.call]);
  assert.deepEqual([read(result('c')).answers, read(result('c')).flags], [['c'], Flag.result]);
  const legacy = [read({ role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }), read({ role: 'function', name: 'f', content: '1' })] as const;
  assert.deepEqual(legacy[0].calls, legacy[1].answers);
});

test('blocks of Anthropic models behind a compatible server read as calls and results', () => {
  const use = read({ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { b: 1, a: 2 } }] });
  const answer = read({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'ok' }] }] });
  assert.deepEqual([use.calls, use.flags, answer.answers, answer.role], [['t'], Flag.call, ['t'], Role.tool]);
});

test('an image costs its fixed price and not its bytes', () => {
  const image = (url: string, detail?: string) => read({ role: 'user', content: [{ type: 'image_url', image_url: { url, detail } }] });
  const large = image(`data:image/png;base64,${'A'.repeat(400_000)}`);
  assert.deepEqual([large.tokens, large.flags], [1_200, Flag.image]);
  assert.equal(image('data:,', 'low').tokens, 85);
});

test('a summary of ours that the host stored as a message is recognised', () => {
  const wrapped = 'The block below is a summary.\n<cg-summary>\nGoal\n</cg-summary>';
  assert.equal(read({ role: 'system', content: wrapped }).flags, Flag.hostSummary);
  assert.equal(read({ role: 'tool', tool_call_id: 'c', content: wrapped }).flags, Flag.result);
  assert.equal(read({ role: 'user', content: 'what does </cg-summary> mean?' }).flags, 0);
});

test('what a summariser is shown names calls with their input and images by their kind', () => {
  assert.equal(reader.text(call('c')), 'read({"path":"a"})');
  assert.equal(reader.text({ role: 'user', content: [{ type: 'text', text: 'see' }, { type: 'image_url', image_url: { url: 'data:…' } }] }), 'see\n[image]');
  assert.equal(reader.text(result('c')), 'done');
});

test('no JSON makes the reader throw, and every number it gives fits the index', () => {
  const shaped = fc.record({ role: fc.anything(), content: fc.anything(), tool_calls: fc.anything(), tool_call_id: fc.anything(), function_call: fc.anything(), name: fc.anything() }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), shaped), (message) => {
      const { hi, lo, tokens, role } = read(message);
      assert.ok([hi, lo, tokens].every((word) => Number.isInteger(word) && word >= 0 && word <= 0xffff_ffff) && role <= 3);
      assert.equal(typeof reader.text(message), 'string');
    }),
    { numRuns: 2_000 },
  );
});

test('a message that holds itself is read to a fixed depth', () => {
  const cycle: { role: string; content?: unknown } = { role: 'user' };
  cycle.content = { cycle };
  assert.ok(read(cycle).tokens > 0);
  assert.equal(reader.text(cycle), '[object]');
});
