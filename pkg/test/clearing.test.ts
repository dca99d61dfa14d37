import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memory, openSession, type ChatMessage, type Store } from 'compaction-governor';

const long = (n: number, tokens: number): string => `${n}: ${'lorem ipsum '.repeat(Math.ceil((tokens * 3.5) / 12))}`;

/** Turns of a question, a call, its result of `tokens` tokens and an answer. */
function work(turns: number, tokens: number): ChatMessage[] {
  return Array.from({ length: turns }, (_, n): ChatMessage[] => [
    { role: 'user', content: `question ${n}` },
    { role: 'assistant', content: null, tool_calls: [{ id: `call-${n}`, type: 'function', function: { name: 'read', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: `call-${n}`, content: long(n, tokens) },
    { role: 'assistant', content: `answer ${n}` },
  ]).flat();
}

/** The figures do not depend on the estimator's table. */
const countTokens = (text: string): number => Buffer.byteLength(text) / 3.5;
let ids = 0;
const open = (store: Store, summarize: () => Promise<string>, id = `clearing-${ids++}`, contextWindow = 8_192) => openSession({ id, store, contextWindow, summarize, countTokens });
const never = async (): Promise<string> => assert.fail('a model was asked');

test('old tool results are cleared before a model is asked, and instead of it where that is enough', async () => {
  const messages = [...work(9, 800), { role: 'user' as const, content: 'and now?' }];
  const session = open(memory(), never);
  const step = await session.prepare(messages);
  assert.equal(step.compacted, true);
  assert.equal(step.messages.length, messages.length, 'every call keeps its result');
  const cleared = step.messages.filter(({ content }) => String(content).startsWith('[cleared'));
  assert.ok(cleared.length >= 3, `${cleared.length} cleared`);
  for (const [i, message] of step.messages.entries()) {
    assert.equal(message.tool_call_id, messages[i]?.tool_call_id);
    if (!cleared.includes(message)) assert.equal(message, messages[i], 'the same object');
  }
  assert.ok(session.explain().action === 'hold');
  const again = await session.prepare(messages);
  assert.deepEqual(again.messages, step.messages, 'decided once');
  assert.equal(again.stablePrefix, messages.length);
});

test('what was cleared stays cleared after a reload, byte for byte', async () => {
  const messages = [...work(9, 800), { role: 'user' as const, content: 'and now?' }];
  const store = memory();
  const first = open(store, never, 'reloaded');
  const { messages: before } = await first.prepare(messages);
  await first.close();
  const { messages: after, compacted } = await open(store, never, 'reloaded').prepare(structuredClone(messages));
  assert.deepEqual(after, before);
  assert.equal(compacted, false, 'nothing is decided again');
});

test('advanced.plan says how much was cleared, and undo brings it back', async () => {
  const messages = [...work(9, 800), { role: 'user' as const, content: 'and now?' }];
  const session = open(memory(), never);
  await session.ready;
  session.advanced.observe(messages);
  const plan = await session.advanced.plan();
  assert.ok('refused' in plan && (plan.prunedTokens ?? 0) > 800, JSON.stringify(plan));
  const kinds = session.advanced.view(messages).parts.map((part) => (part.kind === 'placeholder' ? part.was : part.kind));
  assert.ok(kinds.includes('cleared') && !kinds.includes('summary'));
  assert.deepEqual(session.history().map(({ cleared, summary }) => [cleared, summary]), [[true, '']]);
  assert.equal((await session.undo()).status, 'committed');
  assert.deepEqual(session.advanced.view(messages).messages, messages);
});

test('a giant result of the newest turn is cut in what is sent, never in the conversation', async () => {
  const giant = long(7, 9_000);
  const messages: ChatMessage[] = [
    { role: 'user', content: 'read it' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'a', content: giant },
  ];
  const session = open(memory(), never);
  const { messages: sent } = await session.prepare(messages);
  const shown = String(sent[2]?.content);
  assert.ok(shown.length < giant.length / 2 && shown.startsWith('7: lorem') && shown.endsWith('ipsum '), shown.slice(0, 80));
  assert.deepEqual([sent[0], sent[1]], messages.slice(0, 2));
  assert.equal(messages[2]?.content, giant);
});

test('a host that wants its results whole gets a summary instead', async () => {
  const messages = [...work(9, 800), { role: 'user' as const, content: 'and now?' }];
  const session = openSession({ id: `clearing-${ids++}`, store: memory(), contextWindow: 8_192, countTokens, prune: false, summarize: async () => 'Nine questions were answered.' });
  const { parts } = (await session.prepare(messages), session.advanced.view(messages));
  assert.deepEqual(parts.map(({ kind }) => kind).slice(0, 1), ['summary']);
  assert.ok(!parts.some((part) => part.kind === 'placeholder'));
});
