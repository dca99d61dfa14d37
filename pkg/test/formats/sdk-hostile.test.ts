// Nothing that stands where a message, a reply or an error should stand makes a reader of these formats throw.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as formats from '../../src/formats/index.js';
import type { FormatReader } from '../../src/formats/shape.js';

const { aiSdkUi, tanstackUi, aiSdkModel, langchain, promptApi } = formats;
const READERS: readonly FormatReader<unknown>[] = [aiSdkUi, tanstackUi, aiSdkModel, langchain, promptApi];

/** All that a reader does with a message, and that its numbers fit the index. */
function exercise(reader: FormatReader<unknown>, message: unknown): void {
  for (const shown of [message, reader.replaced(message, '[cleared]'), reader.capped(message, 200), reader.withoutMedia(message)]) {
    const { hi, lo, tokens, bytes, role } = reader.message(shown);
    assert.ok([hi, lo, tokens, bytes].every((word) => Number.isInteger(word) && word >= 0 && word <= 0xffff_ffff) && role <= 3, reader.name);
    assert.equal(typeof reader.text(shown), 'string');
    reader.id(shown);
  }
  reader.usage(message);
  assert.equal(typeof reader.reply(message).text, 'string');
  reader.overflow(message);
  reader.failure(message, 0);
}

function exerciseAll(message: unknown): void {
  for (const reader of READERS) exercise(reader, message);
}

const types = fc.constantFrom('text', 'reasoning', 'file', 'tool-read', 'dynamic-tool', 'tool-call', 'tool-result', 'tool-approval-request', 'tool-approval-response', 'custom', 'steering-message', 'image', 'thinking', 'tool_use', 'server_tool_call', 'ai', 'human', 'tool', 'constructor', 'AIMessageChunk', 'remove');
const part = fc.record(
  { type: types, text: fc.anything(), value: fc.anything(), content: fc.anything(), toolCallId: fc.anything(), id: fc.anything(), state: fc.constantFrom('input-available', 'output-available', 'output-error', 'approval-responded', 'x'), input: fc.anything(), args: fc.anything(), output: fc.anything(), approval: fc.anything(), data: fc.anything(), url: fc.anything(), image: fc.anything(), source: fc.anything(), mediaType: fc.constantFrom('image/png', 'x', 7), providerMetadata: fc.anything(), parts: fc.anything() },
  { requiredKeys: ['type'] },
);
const parts = fc.oneof(fc.anything(), fc.array(fc.oneof(part, fc.anything()), { maxLength: 6 }));
const message = fc.record(
  { role: fc.constantFrom('system', 'user', 'assistant', 'tool', 'x'), type: types, parts, content: parts, kwargs: fc.oneof(fc.anything(), fc.record({ content: parts, tool_calls: parts, additional_kwargs: fc.anything() }, { requiredKeys: [] })), data: fc.anything(), lc: fc.constant(1), id: fc.oneof(fc.anything(), fc.constant(['langchain_core', 'messages', 'AIMessage'])), tool_calls: parts, tool_call_id: fc.anything(), additional_kwargs: fc.anything(), metadata: fc.anything(), usage: fc.anything(), steps: fc.anything(), finalStep: fc.anything(), usage_metadata: fc.anything(), response_metadata: fc.anything(), messages: fc.anything(), name: fc.constantFrom('QuotaExceededError', 'x'), cause: fc.anything() },
  { requiredKeys: [] },
);

test('no shape makes a reader of an SDK throw, and every number it gives fits the index', () => {
  fc.assert(fc.property(fc.oneof(message, part, parts), exerciseAll), { numRuns: 2_000 });
});

test('a message that holds itself, in each place that is looked into, is read to its end', () => {
  for (const key of ['parts', 'content', 'kwargs', 'data', 'output', 'input', 'args', 'steps', 'finalStep', 'metadata', 'messages', 'cause', 'lastError', 'additional_kwargs']) {
    const cycle: Record<string, unknown> = { role: 'assistant', type: 'tool-read', toolCallId: 'c', state: 'output-available', id: ['AIMessage'], lc: 1 };
    cycle[key] = cycle;
    exerciseAll(cycle);
    exerciseAll({ role: 'assistant', parts: [cycle], content: [cycle], kwargs: cycle, tool_calls: [cycle] });
    cycle[key] = [cycle, cycle];
    exerciseAll(cycle);
  }
});

test('an object that fails when it is asked for its kind is still read', () => {
  const broken = { content: 'kept', getType: () => assert.fail('asked'), _getType: () => 'human' };
  assert.equal(langchain.text(broken), 'kept');
  exerciseAll(broken);
});

test('depth, sheer size, broken characters and one id for everything cost time in proportion, and no message', () => {
  for (const key of ['output', 'content', 'data', 'args']) {
    let deep: unknown = 'x';
    for (let i = 0; i < 10_000; i++) deep = i % 2 ? [deep] : { type: 'tool-read', [key]: deep };
    exerciseAll({ role: 'assistant', type: 'ai', content: [deep], parts: [deep], tool_calls: [deep] });
  }
  const lone = '\ud800 and \udfff';
  const same = Array.from({ length: 5_000 }, () => ({ type: 'tool-read', toolCallId: 'c', state: 'input-available', input: lone }));
  for (const content of [lone, [{ type: 'text', text: lone, value: lone }], same]) exerciseAll({ role: 'assistant', type: 'ai', content, parts: content, tool_calls: content });
  const huge = 'lorem ipsum '.repeat(4_400_000);
  const before = process.cpuUsage();
  for (const reader of READERS) assert.ok(reader.message({ role: 'user', type: 'human', content: huge, parts: [{ type: 'text', text: huge }] }).bytes > 50_000_000, reader.name);
  const capped = READERS.map((reader) => reader.text(reader.capped({ role: 'user', type: 'human', content: huge, parts: [{ type: 'text', text: huge }] }, 4_000)));
  assert.ok(capped.every((text) => text.length < 4_200));
  assert.ok(process.cpuUsage(before).user < 40_000_000, 'linear: ten passes over 50 MB take seconds, not hours');
});
