import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memory, openSession, type ChatMessage } from 'compaction-governor';
import { anthropic, type AnthropicMessage } from 'compaction-governor/formats';

let ids = 0;
const open = (contextWindow = 128_000) => openSession({ id: `repairing-${ids++}`, store: memory(), contextWindow, summarize: async () => assert.fail('a model was asked'), hostSummary: '[Summary of earlier messages]' });
const summary = (n: number, bytes: number): ChatMessage => ({ role: (['system', 'user', 'assistant'] as const)[n % 3] ?? 'user', content: `[Summary of earlier messages] Part ${n}: src/part_${n}.rs was ported. ${'It took a while. '.repeat(bytes / 17)}` });

// The fault: summaries were no candidates of a later pass and piled up.
// What it cost: 139 of them, 1.2 million characters, 277,000 active tokens, and a new one every 30 to 60 seconds.
// What now holds: repair makes them one, without a model and under the threshold; nothing else is touched.
// seeds: B7
test('139 summaries of 1.2 million characters become one without a model', async () => {
  const pile = Array.from({ length: 139 }, (_, n) => summary(n, 8_970));
  const tail: ChatMessage[] = [{ role: 'user', content: 'go on' }, { role: 'assistant', content: 'on it' }, { role: 'user', content: 'and now?' }];
  const messages = [{ role: 'system' as const, content: 'be brief' }, ...pile, ...tail];
  assert.ok(JSON.stringify(pile).length > 1_200_000);
  const session = open();
  const dry = session.advanced.repair(messages, { dryRun: true });
  assert.deepEqual([dry.messages.length, dry.changes.length], [messages.length, 138]);
  assert.ok(dry.changes.every(({ code }) => code === 'summary_merged'));
  const { messages: mended } = session.advanced.repair(messages);
  assert.equal(mended.length, 5);
  assert.deepEqual([mended[0], ...mended.slice(2)], [messages[0], ...tail], 'the same objects');
  const merged = String(mended[1]?.content);
  assert.ok(merged.includes('Part 138') && merged.includes('src/part_137.rs') && merged.length < 40_000, `${merged.length} characters`);
  assert.equal(open().advanced.repair(mended).changes.length, 0, 'a mended conversation needs nothing more');
  const after = open();
  await after.prepare(mended);
  assert.equal(after.explain().action, 'hold', 'under the threshold');
});

// seeds: B1, B2
test('the same pile is one live summary after one pass, and no second pass follows in that turn', async () => {
  let asked = 0;
  const pile = Array.from({ length: 139 }, (_, n) => summary(n, 8_970));
  const messages = [{ role: 'system' as const, content: 'be brief' }, ...pile, { role: 'user' as const, content: 'and now?' }];
  const session = openSession({ id: 'pile', store: memory(), contextWindow: 128_000, hostSummary: '[Summary of earlier messages]', summarize: async () => (asked++, 'All 139 parts were ported; the user asks what is next.') });
  const step = await session.prepare(messages);
  const once = asked;
  assert.deepEqual([step.compacted, step.messages.length], [true, 3]);
  await step.done({ promptTokens: 900 });
  const again = await session.prepare(messages);
  assert.deepEqual([asked, again.compacted, again.messages.length], [once, false, 3]);
  assert.equal(session.history().filter(({ summary }) => summary !== '').length, 1);
});

test('results without a call go, calls without a result get one, images of old turns become placeholders', () => {
  const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${'iVBORw0K'.repeat(4_000)}` } };
  const messages: ChatMessage[] = [
    { role: 'tool', tool_call_id: 'gone', content: 'an orphan' },
    { role: 'user', content: [{ type: 'text', text: 'look' }, picture] },
    { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }, { id: 'b', function: { name: 'f', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'a', content: 'done' },
    { role: 'user', content: 'one' },
    { role: 'user', content: 'two' },
    { role: 'user', content: 'three' },
  ];
  const { messages: mended, changes } = open().advanced.repair(messages);
  assert.deepEqual(changes.map(({ code, index }) => [code, index]), [['dropped', 0], ['media_removed', 1], ['results_added', 2]]);
  const answered = new Set(mended.map((message) => message.tool_call_id).filter(Boolean));
  assert.deepEqual([...answered].sort(), ['a', 'b']);
  assert.ok(!JSON.stringify(mended).includes('iVBORw0K') && !JSON.stringify(mended).includes('orphan'));
  assert.equal(mended.at(-1), messages.at(-1));
});

test('repair speaks the format of the session, and throws on nothing', () => {
  const session = openSession({ id: `repairing-${ids++}`, store: memory(), format: anthropic });
  const { messages } = session.advanced.repair([
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
    { role: 'user', content: 'never mind' },
    { role: 'user', content: 'go on' },
  ]);
  assert.ok(JSON.stringify(messages).includes('"tool_use_id":"a"'));
  const hostile: unknown[] = [null, undefined, 7, 'text', [], { role: 'tool' }, { content: [null, { type: 'tool_result' }] }, { role: 'user', content: '\ud800' }];
  // What a host hands over is not always what its types say.
  for (const dryRun of [true, false]) assert.ok(session.advanced.repair(hostile as never[], { dryRun }).messages.length >= 0);
});

// The fault: results are counted by message, so that one message with the results of two calls was said to lack one.
// What it cost: a report of damage where there was none, and an empty message of results in formats that have such.
// What now holds: the ids of the calls say what never came, however results are spread over messages.
test('results that share a message, or whose calls stand in several, are whole pairs', () => {
  const call = (...ids: string[]): AnthropicMessage => ({ role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })) });
  const result = (...ids: string[]): AnthropicMessage => ({ role: 'user', content: ids.map((tool_use_id) => ({ type: 'tool_result', tool_use_id, content: '1' })) });
  const cases: [AnthropicMessage[], [number, string][]][] = [
    [[call('a', 'b'), result('a', 'b')], []],
    [[call('a'), call('b'), result('a', 'b')], []],
    [[call('a'), call('b'), result('a'), result('b')], []],
    [[call('a'), call('b'), result('a')], [[2, 'one result']]],
    [[call('a'), call('b'), result('b')], [[1, 'one result']]],
    [[call('a', 'b', 'c'), result('a', 'c')], [[1, 'one result']]],
  ];
  cases.forEach(([middle, lost], n) => {
    const messages: AnthropicMessage[] = [{ role: 'user', content: 'go' }, ...middle, { role: 'assistant', content: 'done' }, { role: 'user', content: 'next' }];
    const { advanced } = openSession({ id: `pairs-${n}`, store: memory(), contextWindow: 4_096, format: anthropic });
    const { changes, messages: mended } = advanced.repair(messages);
    assert.deepEqual(changes.map(({ index, sentence }) => [index, /and (.*) never came/.exec(sentence)?.[1]]), lost, String(n));
    assert.equal(mended.length > messages.length, lost.length > 0);
  });
});
