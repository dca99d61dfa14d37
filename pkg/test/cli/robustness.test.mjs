// Whatever a file holds, a replay ends with a summary or with one sentence, and never with an exception.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { claude, lines, pi, chat, say, use, withFile } from './fixtures.mjs';
import { claudeAnswer, codex, geminiAnswer, geminiChat, geminiCli, hands, handsRun, kimi, outputText, response } from './formats.mjs';
import { load } from './load.mjs';
import { stubEngine } from './stub-engine.mjs';

const { recognise } = await load('read/recognise.ts');
const { KINDS } = await load('read/formats.ts');
const { replay } = await load('replay.ts');

const WORDS = ['type', 'message', 'role', 'content', 'user', 'assistant', 'system', 'tool', 'usage', 'id', 'uuid', 'parentUuid', 'sessionId', 'isSidechain', 'timestamp',
  'tool_use', 'tool_result', 'toolResult', 'text', 'session', 'compaction', 'firstKeptEntryIndex', 'firstKeptEntryId', 'parentId', 'summary', 'compact_boundary',
  'subtype', 'isCompactSummary', 'messages', 'response', 'choices', 'request', 'body', 'interactions', 'traj', 'tool_calls', 'prompt_tokens', 'input_tokens', 'input',
  'payload', 'response_item', 'token_count', 'last_token_usage', 'replacement_history', 'encrypted_content', 'function_call', 'function_call_output', 'reasoning', 'call_id', 'output',
  'llm.request', 'usage.record', 'context.append_message', 'event', 'parts', 'contents', 'functionCall', 'functionResponse', 'inlineData', 'usageMetadata', 'candidates', 'model', 'iterations',
  'history', 'trajectory', 'action', 'observation', 'tool_call_metadata', 'model_response', 'conversations', 'from', 'value', 'human', 'gpt', 'observation', 'kwargs', 'data', 'ai',
  'previous_response_id', 'cacheRead', 'tokensBefore', 'context_window', 'created', 'compactMetadata', 'preTokens', '__proto__', 'constructor'];
const word = fc.constantFrom(...WORDS);
const leaf = fc.oneof(word, fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('\ud800', 'a\udc00', '2026-01-01T00:00:00Z'), fc.double(), fc.integer(), fc.constantFrom(1e308, -1, 4294967296, null, true));
const { json } = fc.letrec((tie) => ({
  json: fc.oneof({ maxDepth: 5 }, leaf, fc.array(tie('json'), { maxLength: 4 }), fc.dictionary(fc.oneof(word, fc.string()), tie('json'), { maxKeys: 6 })),
}));

/** Records of the real shapes with one part replaced by anything. */
const c = claude();
const SHAPES = [
  c.user(0, 'go'), c.answer(1, 'm', use('t'), 900, 2), c.result(2, 't', 'r'), c.boundary(3, 900), c.summary(4, 's'),
  pi.session(), pi.user(0, 'u', { id: 'a', parentId: null }), pi.answer(1, [say('a'), pi.call('t')], 900, 2, { id: 'b', parentId: 'a' }), pi.compaction(2, 's', { firstKeptEntryIndex: 1, tokensBefore: 9 }),
  chat.user('u'), chat.call('t'), chat.exchange([chat.user('u')], chat.answer('a'), 9, 1),
  codex.user(0, 'u'), codex.call(1, 't'), codex.result(1, 't', 'r'), codex.usage(2, 9, 9), codex.compacted(3, ['s']),
  kimi.message(0, 'u'), kimi.request(1), kimi.call(2, 't'), kimi.result(3, 't', 'r'), kimi.usage(4, 90), kimi.compaction(5, 's'),
  geminiChat([geminiCli.user(0, 'u'), geminiCli.answer(1, 'a', { input: 9, output: 1 }, [geminiCli.tool('t', 'r')])]),
  handsRun([hands.system('s'), hands.user('u'), hands.act('r', 't'), hands.saw('r', 't', 'o')], [{ response_id: 'r', prompt_tokens: 9 }]),
  { trajectory: [], history: [chat.user('u'), chat.call('t')] },
  { messages: [chat.user('u')], response: claudeAnswer([{ type: 'compaction', content: 's' }, use('t')], { input_tokens: 9, iterations: [{ type: 'message', input_tokens: 9 }] }) },
  { request: { input: [{ role: 'user', content: 'u' }], previous_response_id: 'r' }, response: response('r', [outputText('a'), { type: 'compaction', encrypted_content: 'x' }], 9) },
  { request: { contents: [{ role: 'user', parts: [{ text: 'u' }] }] }, response: geminiAnswer([{ functionCall: { name: 'f' } }], { promptTokenCount: 9 }) },
  { messages: [{ role: 'assistant', parts: [{ type: 'tool-f', toolCallId: 't', input: {} }] }] },
  { values: { messages: [{ type: 'ai', content: 'a', tool_calls: [{ id: 't', name: 'f', args: {} }], usage_metadata: { input_tokens: 9 } }] } },
  { conversations: [{ from: 'human', value: 'u' }, { from: 'function_call', value: '{}' }] },
];
const broken = fc.tuple(fc.constantFrom(...SHAPES), fc.nat(), json).map(([shape, which, value]) => replaced(structuredClone(shape), which, value));
const records = fc.array(fc.oneof({ weight: 3, arbitrary: broken }, { weight: 2, arbitrary: fc.constantFrom(...SHAPES) }, { weight: 1, arbitrary: json }), { maxLength: 12 });

function replaced(record, which, value) {
  const places = [];
  const walk = (node) => {
    for (const key of Object.keys(node ?? {})) {
      places.push([node, key]);
      if (typeof node[key] === 'object') walk(node[key]);
    }
  };
  walk(record);
  const [node, key] = places[which % places.length];
  node[key] = value;
  return record;
}

function sound(step) {
  if (step.kind === 'entry') {
    const { tokens, bytes, mediaBytes, group, calls, flags, idHash } = step.entry;
    for (const value of [tokens, bytes, mediaBytes, group, calls, flags, ...idHash]) assert.ok(Number.isInteger(value) && value >= 0 && value < 2 ** 32, JSON.stringify(step));
  }
  if (step.kind === 'usage') for (const value of [step.promptTokens, step.outputTokens]) assert.ok(Number.isInteger(value) && value >= 0 && value < 2 ** 32);
  if (step.kind === 'compaction') for (const value of [step.coversEntries, step.summaryTokens, step.cost?.promptTokens ?? 0]) assert.ok(Number.isInteger(value) && value >= 0 && value < 2 ** 32);
  if (step.at !== undefined) assert.ok(Number.isInteger(step.at));
}

test('readers_never_throw_and_give_sound_numbers_for_arbitrary_json', () => {
  fc.assert(
    fc.property(records, (values) => {
      for (const reader of KINDS.map((kind) => kind.reader())) {
        let entries = 0;
        let line = 0;
        const take = (step) => {
          sound(step);
          if (step.kind === 'session') entries = 0;
          if (step.kind === 'entry') assert.ok(step.entry.group <= entries++, 'a group begins at or before its entry');
          if (step.kind === 'rewind') entries = Math.min(entries, step.entries);
          if (step.kind === 'compaction') assert.ok(step.coversEntries <= entries, 'a compaction covers entries that stand');
        };
        for (const value of values) for (const step of reader.record(value, (line += 1))) take(step);
        for (const step of reader.end()) take(step);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('replay_of_arbitrary_lines_ends_with_a_summary_or_a_named_unknown_format', async () => {
  const line = fc.oneof({ weight: 5, arbitrary: fc.oneof(broken, fc.constantFrom(...SHAPES)).map((value) => JSON.stringify(value)) }, { weight: 1, arbitrary: fc.string({ unit: 'binary' }) });
  const mode = fc.constantFrom('observe', 'simulate');
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 10 }), mode, fc.constantFrom('\n', '\r\n'), async (all, how, end) => {
      await withFile(all.join(end), async (path) => {
        const found = await recognise(path);
        if ('unknown' in found) return assert.ok(found.unknown.length > 0);
        const events = [];
        await replay(found, { file: path, mode: how, window: undefined, newEngine: () => stubEngine() }, (event) => events.push(event));
        assert.equal(events[0].type, 'recording');
        assert.equal(events.at(-1).type, 'summary');
        assert.doesNotMatch(JSON.stringify(events), /NaN|Infinity/);
      });
    }),
    { numRuns: 300 },
  );
});

test('deeply_nested_json_is_read_without_exhausting_the_stack', async () => {
  const deep = (inner) => `${'{"a":['.repeat(50_000)}${inner}${']}'.repeat(50_000)}`;
  const call = `{"role":"assistant","content":null,"tool_calls":[{"id":"t","function":{"name":"f","arguments":${deep('1')}}}]}`;
  await withFile(lines([chat.user('u'), call]), async (path) => {
    const found = await recognise(path);
    const steps = [];
    for await (const [step] of found.steps) steps.push(step.kind);
    assert.deepEqual(steps, ['session', 'entry', 'call', 'entry']);
  });
});
