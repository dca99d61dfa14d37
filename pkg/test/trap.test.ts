// A trap inside the WebAssembly instance, made on purpose: by writing over its memory, and by calling it with an address that is none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeRecord, isCompactionError, localStorageStore, memory, openSession, sessions, type Advanced, type ChatMessage, type CompactionEvent, type Session, type Step, type Store } from 'compaction-governor';
import bytes from '../src/boundary/bytes.js';
import { initSync } from '../src/boundary/glue.js';
import { openHost, turn, type Host } from './host.js';

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
  assert.throws(() => session.history(), internal);
  const asked = [() => session.undo(), () => session.edit('c', 'text'), () => session.pin('m'), () => session.unpin('m')];
  for (const call of asked) await assert.rejects(call, internal);
  const result = await session.compact(said);
  assert.ok(result.status === 'failed' && internal(result.error));
  await controlsNothing(session.advanced);
}

async function controlsNothing(advanced: Advanced): Promise<void> {
  for (const call of [() => advanced.observe(said), () => advanced.view(said), () => advanced.repair(said)]) assert.throws(call, internal);
  const asked = [() => advanced.reset(), () => advanced.records(), () => advanced.remove(), () => advanced.credentialsChanged(), () => advanced.plan({ trigger: 'manual' })];
  for (const call of asked) await assert.rejects(call, internal);
}

function showsItStopped(session: Session): void {
  const { phase, durability, decision } = session.getSnapshot();
  assert.deepEqual([phase, durability, decision.action, session.getSnapshot() === session.getSnapshot()], ['blocked', 'degraded', 'hold', true]);
  assert.deepEqual([session.shouldCompact(), session.explain()], [false, decision]);
  assert.match(decision.sentence, /fault inside the governor/);
}

async function goesOnAsItIs(session: Session): Promise<void> {
  const step = await session.prepare(said);
  assert.deepEqual([step.messages, step.compacted, step.decision.action], [said, false, 'hold']);
  await reportsNothing(step);
  assert.equal(await session.run(said, async (messages) => messages.length), said.length);
  showsItStopped(session);
}

async function reportsNothing(step: Step): Promise<void> {
  await step.done({ promptTokens: 100 });
  assert.equal(await step.failed(Object.assign(new Error("This model's maximum context length is 10 tokens"), { status: 400, code: 'context_length_exceeded' })), 'rethrow');
}

async function lives(session: Session): Promise<void> {
  const { messages } = await session.prepare(said);
  assert.deepEqual(messages, said);
  await session.advanced.reset();
  assert.deepEqual([session.history(), session.getSnapshot().phase, session.getSnapshot().durability], [[], 'idle', 'memory']);
}

// The fault: a trap reached the host as a bare RuntimeError, and every later call read a broken memory.
// What it cost: a conversation that could not go on, or one that went on with counters nobody can trust.
// What now holds: one typed error for what is held of the dead, and the session goes on from what the store holds.
for (const [how, trap] of [['memory written over', corrupt], ['a call with an address that is none', callNowhere]] as const) {
  test(`behind a trap (${how}) a session begins anew with what it is asked next, and what is held of the dead says so`, async () => {
    const session = openSession({ id: `dead-${how}`, store: memory() });
    const events: CompactionEvent[] = [];
    let drawn = 0;
    session.on((event) => events.push(event));
    session.subscribe(() => drawn++);
    const step = await session.prepare(said);
    const { advanced } = session;
    drawn = 0;
    try { trap(); } catch (error) { assert.ok(internal(error)); }
    showsItStopped(session);
    await settled();
    assert.deepEqual(events.map(({ type }) => type), ['stopped'], 'told once');
    assert.equal(drawn, 1);
    await lives(session);
    assert.ok(drawn > 1, 'who watched before watches on');
    await reportsNothing(step);
    await controlsNothing(advanced);
    await lives(session);
    assert.deepEqual(uncaught, []);
  });
}

test('a session that ends every instance rests for a minute before it begins anew by itself, and openSession begins at once', async (t) => {
  const store = memory();
  const session = openSession({ id: 'poisoned', store });
  await session.prepare(said);
  corrupt();
  await lives(session);
  corrupt();
  await goesOnAsItIs(session);
  await answersNothing(session);
  const now = Date.now();
  const clock = t.mock.method(Date, 'now', () => now + 60_000);
  await lives(session);
  clock.mock.restore();
  corrupt();
  showsItStopped(session);
  assert.equal(openSession({ id: 'poisoned', store }), session);
  await lives(session);
  corrupt();
  await session.close();
  await goesOnAsItIs(session);
  const next = openSession({ id: 'poisoned', store });
  assert.notEqual(next, session);
  await session.close();
  assert.equal(openSession({ id: 'poisoned', store }), next, 'closing the dead one again closes it alone');
  await lives(next);
  t.mock.method(Date, 'now', () => now + 200_000);
  await goesOnAsItIs(session);
  assert.deepEqual(uncaught, []);
});

// Fault 28.
for (const [way, goOn] of [
  ['the next call', ({ session }: Host) => session],
  ['a second openSession', (_: Host, store: Store) => openSession({ id: 'struck', store, contextWindow: 8_192 })],
] as const) {
  test(`${way} goes on from what the store acknowledged, strikes and all`, async () => {
    const store = localStorageStore({ prefix: `trap ${way}` });
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
    const again = goOn(host, store);
    assert.equal(again, host.session);
    assert.equal((await again.ready).found, 'existing');
    const after = (await again.advanced.records()).find(({ part }) => part === 'root');
    assert.ok(after);
    assert.deepEqual(decodeRecord(after.bytes, 'struck'), acknowledged);
    assert.deepEqual(again.history().map(({ summary }) => summary.startsWith(text)), [true]);
    assert.ok((await again.prepare(host.messages)).messages.length < host.messages.length, 'the summary stands');
    assert.deepEqual(uncaught, []);
  });
}

test('a conversation that goes on behind a summary goes on behind it, and while the session rests its end is not handed out as if it were all', async () => {
  const store = localStorageStore({ prefix: 'tail' });
  const host = openHost({}, { store, id: 'tail' });
  while (host.session.history().length < 1) await turn(host, 350);
  await host.session.close();
  const session = openSession({ id: 'tail', store, contextWindow: 4_096 });
  const { resumeAfter } = await session.ready;
  assert.ok(resumeAfter);
  const rest = host.messages.slice(Number(resumeAfter.split('-')[0]));
  const { messages } = await session.prepare(rest, { after: resumeAfter });
  assert.ok(messages.length > rest.length);
  const { advanced } = session;
  corrupt();
  await assert.rejects(advanced.reset(), internal);
  assert.deepEqual((await session.prepare(rest, { after: resumeAfter })).messages, messages);
  corrupt();
  await assert.rejects(session.prepare(rest, { after: resumeAfter }), internal);
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
