// A trap inside the WebAssembly instance, made on purpose: by writing over its memory, and by calling it with an address that is none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeRecord, isCompactionError, localStorageStore, memory, openSession, sessions, type ChatMessage, type CompactionEvent, type Session } from 'compaction-governor';
import bytes from '../src/boundary/bytes.js';
import { initSync } from '../src/boundary/glue.js';
import { openHost, turn } from './host.js';

/** A page's storage, where Node has none. */
const kept = new Map<string, string>();
class Window {}
class Storage {
  get length(): number { return kept.size; }
  key(index: number): string | null { return [...kept.keys()][index] ?? null; }
  getItem(key: string): string | null { return kept.get(key) ?? null; }
  setItem(key: string, value: string): void { kept.set(key, value); }
  removeItem(key: string): void { kept.delete(key); }
}
Object.assign(globalThis, { Window, Storage, localStorage: new Storage() });
Object.setPrototypeOf(globalThis, Window.prototype);
Object.assign(globalThis, { window: globalThis });

const uncaught: unknown[] = [];
process.on('uncaughtException', (error) => uncaught.push(error));
process.on('unhandledRejection', (error) => uncaught.push(error));

function exportsNow(): Record<string, unknown> {
  const exports: unknown = initSync({ module: bytes });
  assert.ok(typeof exports === 'object' && exports !== null);
  return { ...exports };
}

/** Every byte that the instance wrote since it began, and every pointer among them, is another one now. */
function corrupt(): void {
  const { memory } = exportsNow();
  assert.ok(typeof memory === 'object' && memory !== null && 'buffer' in memory && memory.buffer instanceof ArrayBuffer);
  new Uint8Array(memory.buffer).fill(0xff);
}

function callNowhere(): void {
  const { core_entryCount: call } = exportsNow();
  assert.ok(typeof call === 'function');
  call(0x7fff_0000);
}

const internal = (error: unknown): boolean => isCompactionError(error) && error.code === 'internal' && !error.retryable && error.applied === 'unknown';
const said: ChatMessage[] = [{ role: 'user', content: 'hello' }, { role: 'assistant', content: 'yes?' }, { role: 'user', content: 'go on' }];
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

async function answersNothing(session: Session): Promise<void> {
  for (const call of [() => session.history(), () => session.advanced.observe(said), () => session.advanced.view(said), () => session.advanced.repair(said)]) assert.throws(call, internal);
  const asked = [() => session.undo(), () => session.edit('c', 'text'), () => session.pin('m'), () => session.unpin('m'), () => session.advanced.reset(), () => session.advanced.records(), () => session.advanced.remove(), () => session.advanced.credentialsChanged(), () => session.advanced.plan({ trigger: 'manual' })];
  for (const call of asked) await assert.rejects(call, internal);
  const result = await session.compact(said);
  assert.ok(result.status === 'failed' && internal(result.error));
}

async function goesOn(session: Session): Promise<void> {
  const step = await session.prepare(said);
  assert.deepEqual([step.messages, step.compacted, step.decision.action, session.shouldCompact()], [said, false, 'hold', false]);
  assert.match(step.decision.sentence, /openSession/);
  await step.done({ promptTokens: 100 });
  assert.equal(await step.failed(Object.assign(new Error("This model's maximum context length is 10 tokens"), { status: 400, code: 'context_length_exceeded' })), 'rethrow');
  assert.equal(await session.run(said, async (messages) => messages.length), said.length);
  const { phase, durability, decision } = session.getSnapshot();
  assert.deepEqual([phase, durability, decision.action, session.getSnapshot() === session.getSnapshot()], ['blocked', 'degraded', 'hold', true]);
}

// The fault: a trap reached the host as a bare RuntimeError, and every later call read a broken memory.
// What it cost: a conversation that could not go on, or one that went on with counters nobody can trust.
// What now holds: one typed error, messages as they are, and a fresh instance from what the store holds.
for (const [how, trap] of [['memory written over', corrupt], ['a call with an address that is none', callNowhere]] as const) {
  test(`after a trap (${how}) nothing is answered by the dead and the conversation goes on`, async () => {
    const session = openSession({ id: `dead-${how}`, store: memory() });
    const events: CompactionEvent[] = [];
    let drawn = 0;
    session.on((event) => events.push(event));
    session.subscribe(() => drawn++);
    await session.prepare(said);
    drawn = 0;
    try { trap(); } catch (error) { assert.ok(internal(error)); }
    await goesOn(session);
    await answersNothing(session);
    await settled();
    assert.deepEqual(events.map(({ type }) => type), ['stopped'], 'told once');
    assert.equal(drawn, 1);
    // The next instance is another one, and the dead stay dead.
    const next = openSession({ id: `next-${how}`, store: memory() });
    await next.prepare(said);
    await answersNothing(session);
    await goesOn(session);
    await session.close();
    assert.equal((await next.ready).found, 'new');
    assert.deepEqual((await next.prepare(said)).messages, said);
    assert.deepEqual(uncaught, []);
  });
}

// Fault 28.
test('a second openSession goes on from what the store acknowledged, strikes and all', async () => {
  const store = localStorageStore({ prefix: 'trap' });
  let passes = 0;
  const text = 'Goal: go on. All earlier messages were answered. Nothing is open.';
  const host = openHost({ overhead: () => [0, 5_200][passes] ?? 0 }, { store, id: 'struck', contextWindow: 8_192, summarize: async () => (passes++, text) });
  await host.session.ready;
  while (passes < 1) await turn(host, 500);
  const before = await host.session.advanced.records();
  const root = before.find(({ part }) => part === 'root');
  assert.ok(root);
  const acknowledged = decodeRecord(root.bytes, 'struck');
  assert.ok(acknowledged && acknowledged.ineffectiveStreak + acknowledged.weakStreak > 0, JSON.stringify(acknowledged));
  const pending = host.session.advanced.reset();
  corrupt();
  await assert.rejects(pending, internal, 'what was on its way is not left hanging');
  const again = openSession({ id: 'struck', store, contextWindow: 8_192 });
  assert.notEqual(again, host.session);
  assert.equal(again, openSession({ id: 'struck', store, contextWindow: 8_192 }), 'and that one stays');
  assert.equal((await again.ready).found, 'existing');
  const after = (await again.advanced.records()).find(({ part }) => part === 'root');
  assert.ok(after);
  assert.deepEqual(decodeRecord(after.bytes, 'struck'), acknowledged);
  assert.deepEqual(again.history().map(({ summary }) => summary.startsWith(text)), [true]);
  assert.ok((await again.prepare(host.messages)).messages.length < host.messages.length, 'the summary stands');
  await host.session.close();
  assert.equal(again, openSession({ id: 'struck', store, contextWindow: 8_192 }), 'closing the dead one closes it alone');
  assert.deepEqual(uncaught, []);
});

test('of a conversation that goes on behind a summary the rest is not handed out as if it were all', async () => {
  const store = localStorageStore({ prefix: 'tail' });
  const host = openHost({}, { store, id: 'tail' });
  while (host.session.history().length < 1) await turn(host, 350);
  await host.session.close();
  const { resumeAfter } = await openSession({ id: 'tail', store, contextWindow: 4_096 }).ready;
  assert.ok(resumeAfter);
  const covered = Number(resumeAfter.split('-')[0]);
  const session = openSession({ id: 'tail', store, contextWindow: 4_096 });
  assert.ok((await session.prepare(host.messages.slice(covered), { after: resumeAfter })).messages.length > host.messages.length - covered);
  corrupt();
  await assert.rejects(session.advanced.reset(), internal);
  await assert.rejects(session.prepare(host.messages.slice(covered), { after: resumeAfter }), internal);
});

test('what a store in memory held went with the instance, and is said to be lost', async () => {
  const store = memory();
  const host = openHost({}, { store, id: 'forgetful' });
  while (host.session.history().length < 1) await turn(host, 350);
  corrupt();
  await host.session.prepare(host.messages);
  const again = openSession({ id: 'forgetful', store });
  assert.equal((await again.ready).found, 'lost');
  assert.deepEqual(again.history(), []);
});

test('a summary that is being written when the instance dies ends as a failure, and the call is sent', async () => {
  let answered = false;
  const session = openSession({ id: 'mid-flight', store: memory(), contextWindow: 4_096, countTokens: (text) => text.length / 3.5, summarize: async () => { corrupt(); answered = true; return 'A summary of it all.'; } });
  const long: ChatMessage[] = [...Array.from({ length: 20 }, (_, n): ChatMessage => ({ role: n % 2 ? 'assistant' : 'user', content: `message ${n} ${'lorem ipsum '.repeat(60)}` })), { role: 'user', content: 'and now?' }];
  const step = await session.prepare(long);
  assert.deepEqual([answered, step.messages, step.compacted], [true, long, false]);
  assert.deepEqual(uncaught, []);
});

test('a list of sessions that was made before a trap goes on after it', async () => {
  const store = localStorageStore({ prefix: 'listed' });
  const host = openHost({}, { store, id: 'listed' });
  while (host.session.history().length < 1) await turn(host, 350);
  const all = sessions(store);
  const ids = async (): Promise<string[]> => { const found: string[] = []; for await (const { id } of all.list()) found.push(id); return found; };
  corrupt();
  await assert.rejects(ids(), internal);
  assert.deepEqual(await ids(), ['listed']);
  assert.deepEqual(uncaught, []);
});
