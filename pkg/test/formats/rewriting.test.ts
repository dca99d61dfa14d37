import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openAiChat } from '../../src/formats/openai/openai-chat.js';
import { cutJson, cutText, cutValue } from '../../src/formats/shape/cut.js';
import { isBlob, withoutBlobs } from '../../src/formats/shape/blob.js';
import { Flag } from '../../src/formats/reader.js';

const reader = openAiChat<unknown>();
const base64 = (length: number): string => Buffer.from(Array.from({ length }, (_, i) => (i * 7_919) % 251)).toString('base64');
const image = (url: string) => ({ type: 'image_url', image_url: { url } });
const call = (argument: string) => ({ role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'write', arguments: argument } }] });
const bytesOf = (text: string): number => Buffer.byteLength(text);

test('a text that is cut keeps its beginning and end, names the middle, fits, and is not cut again', () => {
  const cut = cutText(`begin ${'x'.repeat(5_000)} end`, 200);
  assert.match(cut, /^begin x+\n\[\d+ characters left out\]\nx+ end$/);
  assert.ok(bytesOf(cut) <= 200);
  assert.equal(cutText(cut, 200), cut);
  assert.equal(cutText('short', 200), 'short');
});

test('no cut breaks a character, and none makes a text longer', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '🙂', '👩‍👩‍👧'), maxLength: 400 });
  fc.assert(
    fc.property(text, fc.integer({ min: 40, max: 900 }), (text, bytes) => {
      const cut = cutText(text, bytes);
      assert.ok(cut.isWellFormed());
      assert.ok(bytesOf(cut) <= Math.max(bytes, 60) && bytesOf(cut) <= Math.max(bytesOf(text), 60));
      if (bytesOf(text) <= bytes) assert.equal(cut, text);
    }),
    { numRuns: 2_000 },
  );
});

test('JSON that is cut stays JSON, whatever it holds', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 64, max: 2_000 }), (value, bytes) => {
      const cut = cutJson(JSON.stringify(value), bytes);
      JSON.parse(cut);
      assert.ok(bytesOf(cut) <= 2 * bytes + 100, `${bytesOf(cut)} bytes of ${bytes}`);
    }),
    { numRuns: 2_000 },
  );
  const many = { lines: Array.from({ length: 10_000 }, (_, i) => `line ${i}`) };
  assert.ok(bytesOf(JSON.stringify(cutValue(many, 1_000))) < 1_200, 'many short strings are cut as well');
  assert.equal(cutJson('not JSON at all', 400), 'not JSON at all');
});

test('a capped message keeps role, ids and call structure, and arguments that parse', () => {
  const long = 'y'.repeat(10_000);
  const capped = JSON.parse(JSON.stringify(reader.capped(call(JSON.stringify({ path: 'a.ts', text: long })), 300)));
  const { path, text } = JSON.parse(capped.tool_calls[0].function.arguments);
  assert.deepEqual([capped.tool_calls[0].id, capped.tool_calls[0].function.name, path], ['c', 'write', 'a.ts']);
  assert.ok(text.startsWith('yyy') && text.length < 400);
  const short = call('{"a":1}');
  assert.equal(reader.capped(short, 300), short, 'nothing to cut: the same object');
});

test('a replaced tool result is the text and still answers its call; other words stay', () => {
  const result = { role: 'tool', tool_call_id: 'c', content: 'z'.repeat(9_000), name: 'read' };
  assert.deepEqual(reader.replaced(result, '[cleared]'), { ...result, content: '[cleared]' });
  const shown = { role: 'user', content: [{ type: 'text', text: 'look' }, image('data:image/png;base64,AAAA')] };
  assert.deepEqual(reader.replaced(shown, '[cleared]'), { role: 'user', content: [{ type: 'text', text: 'look' }, { type: 'text', text: '[cleared]' }] });
});

test('media and inline blobs give way to typed placeholders, nested results included', () => {
  const blob = base64(3_000);
  const message = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [image('https://a/b.png'), { type: 'text', text: `see ${blob}.` }] }, { type: 'input_audio', input_audio: { data: blob } }] };
  assert.deepEqual(reader.withoutMedia(message), {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: '[image]' }, { type: 'text', text: 'see [data].' }] }, { type: 'text', text: '[audio]' }],
  });
});

test('blobs are told from prose, code and rulers, flagged, and never shown to a summariser', () => {
  const minified = 'function(a){return a.b?c(d,e.f):g[h]}'.replaceAll(' ', '').repeat(80);
  const prose = 'The quick brown fox jumps over the lazy dog. '.repeat(80);
  const kinds = { base64: [base64(3_000), true], minified: [minified, true], prose: [prose, false], chinese: ['漢字仮名交じり文'.repeat(400), false], short: [base64(300), false] } as const;
  for (const [name, [text, blob]] of Object.entries(kinds)) assert.equal(isBlob(text), blob, name);
  assert.equal(withoutBlobs('-'.repeat(4_000)), '-'.repeat(4_000));
  const result = { role: 'tool', tool_call_id: 'c', content: base64(6_000) };
  assert.equal(reader.message(result).flags, Flag.result | Flag.blob);
  assert.equal(reader.text(result), '[data]');
});

test('the weight of a message counts inline media, its tokens do not', () => {
  const reading = reader.message({ role: 'user', content: [image(`data:image/png;base64,${'A'.repeat(400_000)}`)] });
  assert.ok(reading.bytes > 400_000 && reading.bytes < 400_100, String(reading.bytes));
  assert.equal(reading.tokens, 1_200);
});

test('an open call can be closed by a result of its own, also one from before there were ids', () => {
  assert.deepEqual(reader.closing(['c', 'function f'], 'none'), [
    { role: 'tool', tool_call_id: 'c', content: 'none' },
    { role: 'function', name: 'f', content: 'none' },
  ]);
});

test('summaries of known tools and of the host are recognised in any role but a tool', () => {
  const known = 'This session is being continued from a previous conversation that ran out of context.';
  assert.equal(reader.message({ role: 'user', content: known }).flags, Flag.hostSummary);
  assert.equal(reader.message({ role: 'tool', tool_call_id: 'c', content: known }).flags, Flag.result);
  const marked = openAiChat<unknown>().marked('[SUMMARY]');
  assert.equal(marked.message({ role: 'assistant', content: '[SUMMARY] so far' }).flags, Flag.hostSummary);
  assert.equal(marked.message({ role: 'assistant', content: 'a [SUMMARY]' }).flags, 0);
});

test('cycles that branch, and lists that hold themselves, end', () => {
  const cycle: Record<string, unknown> = { role: 'user' };
  for (const key of ['a', 'b', 'c']) cycle[key] = cycle;
  const list: unknown[] = [cycle];
  list.push(list, list, { type: 'tool_result', tool_use_id: 't', content: list });
  for (const message of [cycle, { role: 'user', content: list }, { role: 'user', content: cycle }]) {
    assert.ok(reader.message(message).tokens >= 0);
    assert.equal(typeof reader.text(message), 'string');
    for (const edit of [reader.capped(message, 100), reader.replaced(message, 'x'), reader.withoutMedia(message)]) assert.equal(typeof edit, 'object');
  }
});
