import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeRecord, injected, isCompactionError, openSession, type InjectedBatch, type InjectedRecord, type InjectedStore } from 'compaction-governor';
import { openHost, turn } from './host.js';

/** What every server of a host does, over a map. */
class Kept implements InjectedStore {
  readonly capabilities = { survives: 'kill' } as const;
  readonly sessions = new Map<string, { revision: number; parts: Map<string, Uint8Array> }>();
  load(session: string): InjectedRecord | null {
    return this.sessions.get(session) ?? null;
  }

  commit(session: string, expected: number | null, { puts, deletes }: InjectedBatch): { revision: number } | { conflict: number | null } {
    const held = this.sessions.get(session);
    if ((held?.revision ?? null) !== expected) return { conflict: held?.revision ?? null };
    const parts = new Map(held?.parts);
    for (const part of deletes) parts.delete(part);
    for (const [part, bytes] of puts) parts.set(part, bytes);
    const revision = (expected ?? 0) + 1;
    this.sessions.set(session, { revision, parts });
    return { revision };
  }

  remove(session: string): void {
    this.sessions.delete(session);
  }
}

function code(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    assert.ok(isCompactionError(error), String(error));
    return error.code;
  }
  return 'accepted';
}

test('a session keeps its summaries in an object of the host, and another page finds them there', async () => {
  const object = new Kept();
  const host = openHost({}, { id: 'kept', store: injected(object) });
  while (host.session.history().length === 0) await turn(host, 700);
  assert.equal(host.session.getSnapshot().durability, 'durable');
  const [summary] = host.session.history();
  await host.session.close();

  const page = new Kept();
  for (const [id, held] of object.sessions) page.sessions.set(id, held);
  const again = openSession({ id: 'kept', store: injected(page) });
  assert.equal((await again.ready).found, 'existing');
  assert.deepEqual(again.history(), [summary]);
  await again.advanced.remove();
  assert.equal(page.sessions.size, 0);
});

test('one object is one store, and two are two', () => {
  const [one, other] = [new Kept(), new Kept()];
  assert.equal(injected(one), injected(one));
  assert.notEqual(injected(one), injected(other));
  assert.equal(injected(one).kind, 'injected');
  assert.equal(openSession({ id: 'a', store: injected(one) }), openSession({ id: 'a', store: injected(one) }));
});

// The fault: an object that was opened once gave that store for ever, whatever codec came with it later.
// What it cost: a host that turned sealing on went on writing in the clear, and was told nothing.
// What now holds: object and codec together are the store; the same pair gives the same one.
test('an object behind a codec is another store than without, and one for each codec', () => {
  const object = new Kept();
  const plain = { seal: (bytes: Uint8Array) => bytes, open: (bytes: Uint8Array) => bytes };
  const other = { ...plain };
  assert.notEqual(injected(object), injected(object, { seal: plain }));
  assert.notEqual(injected(object, { seal: other }), injected(object, { seal: plain }));
  assert.equal(injected(object, { seal: plain }), injected(object, { seal: plain }));
  for (const seal of [true, null, {}, 'key', { seal: plain.seal }]) assert.equal(code(() => Reflect.apply(injected, undefined, [object, { seal }])), 'invalid_option', JSON.stringify(seal));
});

test('a codec that comes with a later call seals what is written from then on', async () => {
  const object = new Kept();
  const first = openHost({}, { id: 'clear', store: injected(object) });
  while (first.session.history().length === 0) await turn(first, 700);
  const word = first.session.history()[0]?.summary.slice(0, 12) ?? '';
  const turned = { seal: (bytes: Uint8Array) => bytes.map((byte) => byte ^ 0x55), open: (bytes: Uint8Array) => bytes.map((byte) => byte ^ 0x55) };
  const second = openHost({}, { id: 'sealed', store: injected(object, { seal: turned }) });
  while (second.session.history().length === 0) await turn(second, 700);
  const holds = (id: string): boolean => [...(object.sessions.get(id)?.parts.values() ?? [])].some((bytes) => Buffer.from(bytes).includes(word));
  assert.deepEqual([word.length, holds('clear'), holds('sealed')], [12, true, false]);
});

test('an object that cannot compare and swap is refused at once, with the reason', () => {
  const method = () => null;
  const refused = (object: object): string => code(() => Reflect.apply(injected, undefined, [object]));
  assert.equal(refused({ get: method, put: method, list: method, delete: method }), 'no_compare_and_swap');
  assert.equal(refused(new Map()), 'no_compare_and_swap');
  assert.throws(() => Reflect.apply(injected, undefined, [{ get: method, put: method }]), /two writers would overwrite each other/);
  assert.equal(refused({ load: method, commit: method, capabilities: { compareAndSwap: 'none' } }), 'no_compare_and_swap');
  assert.equal(refused({ load: method, commit: method, capabilities: { compareAndSwap: 'one_context' } }), 'accepted');
});

test('what is no store object at all is an invalid option', () => {
  const method = () => null;
  for (const object of [null, undefined, 1, 'store', {}, { load: method }, { commit: method, get: method }, { load: 1, commit: method }]) {
    assert.equal(code(() => Reflect.apply(injected, undefined, [object])), 'invalid_option', JSON.stringify(object));
  }
  for (const capabilities of [{ survives: 'all' }, { compareAndSwap: true }, { maxValueBytes: 0 }, { maxValueBytes: -1 }, { maxValueBytes: 1.5 }, { maxValueBytes: '9' }]) {
    assert.equal(code(() => Reflect.apply(injected, undefined, [{ load: method, commit: method, capabilities }])), 'invalid_option', JSON.stringify(capabilities));
  }
});

test('what is declared is what a session says it survives; nothing by default', async () => {
  const durability = async (capabilities?: InjectedStore['capabilities']): Promise<string> => {
    const kept = new Kept();
    const { load, commit } = kept;
    const store = injected({ ...(capabilities && { capabilities }), load: load.bind(kept), commit: commit.bind(kept) });
    return (await openSession({ id: 'a', store }).ready).durability;
  };
  assert.equal(await durability(), 'memory');
  assert.equal(await durability({ survives: 'reload' }), 'reload_only');
  assert.equal(await durability({ survives: 'kill' }), 'durable');
});

test('an object that throws, lies or is full never reaches the conversation', async () => {
  for (const broken of [
    { load: () => Promise.reject(new Error('down')), commit: () => ({ revision: 1 }) },
    { load: () => null, commit: () => Promise.reject(Object.assign(new Error('full'), { name: 'QuotaExceededError' })) },
    { load: () => null, commit: () => ({ revision: 99 }) },
    { load: () => null, commit: () => ({ conflict: null }) },
    { load: () => ({ revision: 1, parts: new Map() }), commit: () => ({ conflict: 2 }) },
  ]) {
    const host = openHost({}, { store: injected(broken) });
    while (host.session.history().length === 0) await turn(host, 700);
    assert.equal(host.session.getSnapshot().durability, 'degraded');
  }
});

test('an object that is overloaded, as a Durable Object says it, is a busy store and a summariser that limits its rate', async () => {
  const overloaded = Object.assign(new Error('Durable Object is overloaded. Too many requests queued.'), { overloaded: true, retryable: true });
  const kept = new Kept();
  const host = openHost({}, { id: 'overloaded', store: injected(kept), summarize: () => Promise.reject(overloaded) });
  for (let n = 0; n < 14 && !kept.sessions.has('overloaded'); n++) await turn(host, 300);
  const root = (await host.session.advanced.records()).find(({ part }) => part === 'root');
  assert.equal(root && decodeRecord(root.bytes, 'overloaded')?.cooldownClass, 'rate_limit');
  kept.load = kept.commit = () => {
    throw overloaded;
  };
  await host.session.pin({ text: 'Never touch the production database.' });
  const { durability, storeError } = host.session.getSnapshot();
  assert.deepEqual([durability, storeError], ['degraded', { code: 'busy', recover: 'retry' }]);
});

test('values above the declared limit are refused before the object is asked', async () => {
  let asked = 0;
  const capabilities = { survives: 'kill', maxValueBytes: 20 } as const;
  const host = openHost({}, { store: injected({ capabilities, load: () => null, commit: () => ((asked += 1), { revision: 1 }) }) });
  while (host.session.history().length === 0) await turn(host, 700);
  assert.equal(asked, 0);
  assert.equal(host.session.getSnapshot().durability, 'degraded');
});
