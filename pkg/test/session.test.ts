import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCompactionError, localStorageStore, indexedDb, memory, openSession, type CompactionEvent } from 'compaction-governor';
import { openHost, turn, type Host } from './host.js';

const conversation = async (host: Host, turns: number, tokens = 350): Promise<void> => {
  for (let i = 0; i < turns; i++) await turn(host, tokens);
};

test('a long conversation stays inside the window, and the transcript stays whole', async () => {
  const host = openHost({ window: 4_096 });
  await conversation(host, 30);
  assert.equal(host.messages.length, 60);
  assert.ok(host.model.of('small').length >= 2, 'summaries were written');
  assert.ok(host.model.of('large').every(({ messages }) => host.model.count(messages) <= 4_096));
  assert.equal(host.model.of('large').length, 30, 'no call was refused');
  assert.ok(host.session.history().length >= 2);
  assert.ok(host.session.history().slice(0, -1).every(({ verdict }) => verdict === 'effective'));
});

test('without a compaction the view is the same messages', async () => {
  const host = openHost();
  host.messages.push({ role: 'system', content: 'be brief' }, { role: 'user', content: 'hello' });
  const step = await host.session.prepare(host.messages);
  assert.deepEqual(step.messages, host.messages);
  assert.ok(step.messages.every((message, i) => message === host.messages[i]), 'not copies');
  assert.deepEqual([step.compacted, step.decision.action], [false, 'hold']);
});

test('a conversation handed over whole and already over the line is compacted before its first call', async () => {
  const host = openHost();
  const messages = Array.from({ length: 12 }, (_, i) => ({ role: i % 2 ? ('assistant' as const) : ('user' as const), content: `${i} ${'lorem ipsum '.repeat(90)}` }));
  const step = await host.session.prepare(messages);
  assert.deepEqual([step.compacted, host.model.of('small').length], [true, 1]);
  assert.ok(step.messages.length < messages.length);
});

test('after a compaction the view is system prompt, one summary, and the newest messages as they are', async () => {
  const host = openHost();
  host.messages.push({ role: 'system', content: 'be brief' });
  while (host.session.history().length < 2) await turn(host, 350);
  const { messages } = await host.session.prepare(host.messages);
  const summaries = messages.filter(({ content }) => String(content).includes('<cg-summary>'));
  assert.equal(summaries.length, 1);
  assert.equal(messages[0], host.messages[0]);
  assert.deepEqual([messages[1], messages[1]?.role], [summaries[0], 'system']);
  assert.equal(messages.at(-1), host.messages.at(-1));
});

test('the stable prefix tells what a prompt cache can reuse', async () => {
  const host = openHost();
  await conversation(host, 3);
  await host.session.prepare(host.messages);
  const unchanged = await host.session.prepare(structuredClone(host.messages));
  assert.equal(unchanged.stablePrefix, 6);
  const edited = await host.session.prepare(host.messages.with(2, { role: 'user', content: 'edited' }));
  assert.equal(edited.stablePrefix, 2);
});

test('the same id and store give the same object, also for stores that are named twice', () => {
  const store = memory();
  const open = (id: string, where = store) => openSession({ id, store: where });
  assert.equal(open('a'), open('a'));
  assert.notEqual(open('a'), open('b'));
  assert.notEqual(open('a'), open('a', memory()));
  assert.equal(indexedDb(), indexedDb());
  assert.equal(localStorageStore({ prefix: 'p' }), localStorageStore({ prefix: 'p' }));
  assert.notEqual(indexedDb({ name: 'x' }), indexedDb({ name: 'y' }));
  assert.ok(Object.isFrozen(store) && store.kind === 'memory');
});

test('a session is harmless to await and ready never rejects', async () => {
  const { session } = openHost();
  assert.equal(await session, session);
  assert.deepEqual(await session.ready, { found: 'new', durability: 'memory' });
  const elsewhere = openSession({ id: 'no indexedDB in Node', store: indexedDb({ name: 'none' }) });
  assert.equal((await elsewhere.ready).durability, 'degraded');
  const step = await elsewhere.prepare([{ role: 'user', content: 'hi' }]);
  assert.equal(step.messages.length, 1, 'a store that fails never reaches the chat');
});

test('closed and opened again, the session is found as it was left', async () => {
  const host = openHost();
  while (host.session.history().length < 1) await turn(host, 350);
  await host.session.close();
  const again = openSession({ id: host.session.id, store: host.store, contextWindow: 4_096 });
  assert.notEqual(again, host.session);
  assert.equal((await again.ready).found, 'existing');
  assert.deepEqual(again.history().map(({ compactionId }) => compactionId), host.session.history().map(({ compactionId }) => compactionId));
  const { messages } = await again.prepare(structuredClone(host.messages));
  assert.ok(messages.length < host.messages.length, 'the summary finds its place by content');
});

test('settings that cannot be are refused with a code and a message', () => {
  const refused = (call: () => unknown) => {
    try {
      call();
    } catch (error) {
      assert.ok(isCompactionError(error), String(error));
      assert.ok(error instanceof Error && error.message.length > 10 && error.docs.startsWith('README.md#'));
      assert.equal(error.applied, 'no');
      return error.code;
    }
    return 'not refused';
  };
  const store = memory();
  assert.equal(refused(() => openSession({ id: '', store })), 'invalid_option');
  assert.equal(refused(() => openSession({ id: 'x', store: { kind: 'memory' } })), 'invalid_option');
  for (const contextWindow of [10, -1, 1.5, Number.NaN]) assert.notEqual(refused(() => openSession({ id: 'x', store, contextWindow })), 'not refused', String(contextWindow));
  assert.notEqual(refused(() => openSession({ id: 'x', store, trigger: {} })), 'not refused');
  assert.notEqual(refused(() => openSession({ id: 'x', store, trigger: { fraction: 1.2 } })), 'not refused');
  openSession({ id: 'x', store, contextWindow: 4_096, trigger: [{ fraction: 0.5, messages: 3 }, { tokens: 3_000 }], keep: { messages: 2 }, fallback: ['timeout'] });
});

test('below the threshold shouldCompact reads no clock', async (context) => {
  const host = openHost();
  await conversation(host, 1);
  const clock = context.mock.method(Date, 'now');
  assert.equal(host.session.shouldCompact(), false);
  assert.equal(clock.mock.callCount(), 0);
});

test('asking changes nothing', async () => {
  const host = openHost();
  await conversation(host, 6);
  const before = host.session.getSnapshot();
  for (let i = 0; i < 100; i++) {
    host.session.shouldCompact();
    host.session.explain();
    host.session.history();
  }
  assert.equal(host.session.getSnapshot(), before);
});

test('subscribers hear of a change once it is there, and a snapshot is the same object until then', async () => {
  const host = openHost();
  await host.session.ready;
  const seen: unknown[] = [];
  const unsubscribe = host.session.subscribe(() => seen.push(host.session.getSnapshot()));
  assert.equal(host.session.getSnapshot(), host.session.getSnapshot());
  await turn(host, 100);
  await Promise.resolve();
  assert.ok(seen.length > 0);
  assert.equal(seen.at(-1), host.session.getSnapshot());
  unsubscribe();
  const heard = seen.length;
  await turn(host, 100);
  assert.equal(seen.length, heard);
});

test('a compaction is told from start to end under one id, then its verdict', async () => {
  const host = openHost();
  const events: CompactionEvent[] = [];
  host.session.on((event) => events.push(event));
  host.session.on(() => {
    throw new Error('a listener that breaks');
  });
  while (host.session.history().length < 1) await turn(host, 350);
  await turn(host, 50);
  const told = events.filter((event) => event.type === 'compaction' || event.type === 'verdict');
  const [id] = host.session.history().map(({ compactionId }) => compactionId);
  assert.deepEqual(told.map((event) => [event.type, event.type === 'compaction' ? event.status : event.verdict, event.compactionId]), [
    ['compaction', 'in_progress', id],
    ['compaction', 'completed', id],
    ['verdict', 'effective', id],
  ]);
});

test('compacting by hand says what came of it', async () => {
  const host = openHost();
  const nothing = await host.session.compact([{ role: 'user', content: 'hi' }]);
  assert.equal(nothing.status, 'refused');
  await conversation(host, 6);
  const result = await host.session.compact(host.messages, { focus: 'the numbers' });
  assert.equal(result.status, 'committed', JSON.stringify(result));
  const request = JSON.stringify(host.model.of('small').at(-1));
  assert.ok(request.includes('the numbers'), 'the focus reaches the summariser');
});

// The fault: a system prompt that carries the date is another one every day.
// What it cost: every summary was void with it, and the whole conversation was paid for again.
// What now holds: what a system message says is shown as it is, and makes no summary void.
test('a system prompt that changes keeps the summary of what follows it', async () => {
  const host = openHost();
  host.messages.push({ role: 'system', content: 'today is Monday' });
  while (host.session.history().length < 1) await turn(host, 350);
  const { messages: before } = await host.session.prepare(host.messages);
  host.messages[0] = { role: 'system', content: 'today is Tuesday' };
  const { messages: after, stablePrefix } = await host.session.prepare(host.messages);
  assert.deepEqual(after.slice(1), before.slice(1));
  assert.deepEqual([after[0], stablePrefix], [host.messages[0], 0]);
  assert.equal(host.model.of('small').length, 1, 'nothing is summarised again');
});
