// Whole sessions of a store: listed, deleted, copied, and carried elsewhere as bytes.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { indexedDb, isCompactionError, localStorageStore, memory, openSession, sessions, type ListedSession, type Store } from 'compaction-governor';
import { deleteChat, listChats, receive, upload } from '../examples/chats.js';
import { openHost, turn, type Host } from './host.js';

async function talked(id: string, store: Store): Promise<Host> {
  const host = openHost({}, { store, id });
  while (host.session.history().length < 1) await turn(host, 350);
  await turn(host, 350);
  return host;
}

async function listed(store: Store): Promise<ListedSession[]> {
  const all: ListedSession[] = [];
  for await (const one of sessions(store).list()) all.push(one);
  return all;
}

function rejects(code: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(isCompactionError(error), String(error));
    assert.deepEqual([error.code, error.applied], [code, 'no']);
    return true;
  };
}

async function parts(id: string, store: Store) {
  const session = openSession({ id, store });
  const records = await session.advanced.records();
  return records.map(({ part, bytes }) => [part, [...bytes]]);
}

test('everything that is kept is listed once, with its bytes and the time of its newest record', async () => {
  const store = memory();
  const before = Date.now();
  const host = await talked('chat', store);
  await host.session.close();
  for (let n = 0; n < 70; n += 1) await sessions(store).fork('chat', `copy ${n}`);
  const all = await listed(store);
  assert.deepEqual([all.length, new Set(all.map(({ id }) => id)).size], [71, 71]);
  const chat = all.find(({ id }) => id === 'chat');
  const records = await host.session.advanced.records();
  assert.equal(chat?.bytes, records.reduce((sum, { bytes }) => sum + bytes.length, 0));
  assert.ok(chat?.updatedAt !== undefined && chat.updatedAt >= before && chat.updatedAt <= Date.now(), String(chat?.updatedAt));
});

test('removing while listing skips none and leaves nothing', async () => {
  const store = memory();
  await talked('chat', store);
  for (let n = 0; n < 70; n += 1) await sessions(store).fork('chat', `copy ${n}`);
  for await (const { id } of sessions(store).list()) await sessions(store).remove(id);
  assert.deepEqual(await listed(store), []);
});

test('a session that is open when it is removed forgets what it held and writes nothing by itself', async () => {
  const store = memory();
  const { session, messages } = await talked('chat', store);
  await session.pin({ text: 'Never touch the production database.' });
  let told = 0;
  session.subscribe(() => (told += 1));
  await sessions(store).remove('chat');
  await new Promise(setImmediate);
  assert.deepEqual([session.history(), told > 0], [[], true]);
  await session.close();
  assert.deepEqual(await listed(store), []);
  assert.equal(session.advanced.view(messages).parts.some(({ kind }) => kind === 'summary'), false);
  const again = openSession({ id: 'chat', store });
  assert.notEqual(again, session);
  assert.equal((await again.ready).found, 'new');
});

test('a user who goes on after the removal starts anew, without the old summary', async () => {
  const store = memory();
  const host = await talked('chat', store);
  const [old] = host.session.history();
  assert.ok(old);
  await sessions(store).remove('chat');
  while (host.session.history().length < 1) await turn(host, 350);
  assert.notEqual(host.session.history()[0]?.compactionId, old.compactionId);
  assert.equal((await listed(store)).length, 1);
});

test('a fork is another session with the same summary', async () => {
  const store = memory();
  const host = await talked('chat', store);
  await sessions(store).fork('chat', 'copy');
  const copy = openHost({}, { store, id: 'copy' });
  assert.equal((await copy.session.ready).found, 'existing');
  assert.deepEqual(copy.session.history(), host.session.history());
  assert.deepEqual(copy.session.advanced.view(host.messages).messages, host.session.advanced.view(host.messages).messages);
  await sessions(store).remove('chat');
  assert.equal(copy.session.history().length, 1);
  await assert.rejects(sessions(store).fork('chat', 'other'), rejects('unknown_session'));
  await assert.rejects(sessions(store).fork('copy', 'copy'), rejects('session_exists'));
});

test('what is exported is imported elsewhere byte for byte, and once', async () => {
  const [here, there] = [memory(), memory()];
  await talked('chat', here);
  const bytes = await sessions(here).export('chat');
  await sessions(there).import(bytes);
  assert.deepEqual(await parts('chat', there), await parts('chat', here));
  assert.deepEqual(await sessions(there).export('chat'), bytes);
  await assert.rejects(sessions(there).import(bytes), rejects('session_exists'));
  await sessions(there).import(bytes, 'copy');
  assert.equal((await openSession({ id: 'copy', store: there }).ready).found, 'existing');
});

test('the example lists, carries and deletes chats', async () => {
  const [page, server] = [memory(), memory()];
  await talked('old', page);
  await talked('new', page);
  await upload(page, 'new', (bytes) => receive(server, bytes));
  assert.deepEqual(await parts('new', server), await parts('new', page));
  await deleteChat(page, 'new');
  assert.deepEqual([openIds(await listChats(page)), openIds(await listChats(server))], [['old'], ['new']]);
});

test('an export holds what an open session has not written yet', async () => {
  const [here, there] = [memory(), memory()];
  const host = await talked('chat', here);
  const call = turn(host, 350);
  const bytes = await sessions(here).export('chat');
  await sessions(there).import(bytes);
  await call;
  assert.deepEqual(openIds(await listed(there)), ['chat']);
});

test('anything that is no archive is refused by name and writes nothing', async () => {
  const store = memory();
  await talked('chat', store);
  const whole = await sessions(store).export('chat');
  const elsewhere = memory();
  const { import: take } = bound(elsewhere);
  const later = whole.slice();
  later[6] = 9;
  for (let length = 0; length < whole.length; length += 97) await assert.rejects(take(whole.slice(0, length)), rejects('damaged_archive'));
  for (let at = 0; at < whole.length; at += 61) {
    const bytes = whole.slice();
    bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    await assert.rejects(take(bytes), rejects(at < 4 ? 'not_an_archive' : 'damaged_archive'));
  }
  await assert.rejects(take(new TextEncoder().encode('{"role":"user","content":"hello"}')), rejects('not_an_archive'));
  await assert.rejects(take(later), rejects('damaged_archive'), 'a header that was changed claims nothing');
  assert.deepEqual(await listed(elsewhere), []);
});

test('what cannot be an id or bytes is refused before anything is asked of the store', async () => {
  const kept = bound(memory());
  const wrong: unknown[] = ['', 7, undefined, null];
  for (const id of wrong) {
    // @ts-expect-error what JavaScript may pass
    await assert.rejects(kept.remove(id), rejects('invalid_option'));
    // @ts-expect-error what JavaScript may pass
    await assert.rejects(kept.export(id), rejects('invalid_option'));
    // @ts-expect-error what JavaScript may pass
    await assert.rejects(kept.fork('chat', id), rejects('invalid_option'));
    // @ts-expect-error what JavaScript may pass
    await assert.rejects(kept.import(id), rejects('invalid_option'));
  }
  await assert.rejects(kept.import(new Uint8Array(), ''), rejects('invalid_option'));
  assert.throws(() => sessions({ kind: 'mine' }), rejects('invalid_option'));
});

test('a store that this runtime does not have says so to every request', async () => {
  for (const store of [indexedDb({ name: 'sessions' }), localStorageStore({ prefix: 'sessions' })]) {
    const kept = sessions(store);
    const whole = await archive();
    await assert.rejects(listed(store), rejects('unavailable'));
    await assert.rejects(kept.export('chat'), rejects('unavailable'));
    await assert.rejects(kept.import(whole), rejects('unavailable'));
    await assert.rejects(kept.fork('chat', 'copy'), rejects('unavailable'));
    await assert.rejects(kept.remove('chat'), rejects('unavailable'));
  }
});

test('a store that never opens is given up by its deadline', async (context) => {
  const requests: unknown[] = [];
  Object.defineProperty(globalThis, 'indexedDB', { configurable: true, value: { open: () => (requests.push(1), new EventTarget()) } });
  context.after(() => Reflect.deleteProperty(globalThis, 'indexedDB'));
  const store = indexedDb({ name: 'never opens' });
  mock.timers.enable({ apis: ['setTimeout'] });
  context.after(() => mock.timers.reset());
  const asked = [listed(store), sessions(store).export('chat'), sessions(store).import(await archive())];
  const ends = Promise.allSettled(asked);
  for (let second = 0; second < 12; second += 1) {
    await new Promise(setImmediate);
    mock.timers.tick(1_000);
  }
  for (const end of await ends) assert.ok(end.status === 'rejected' && rejects('timeout')(end.reason));
});

function bound(store: Store) {
  const kept = sessions(store);
  return {
    remove: (id: string) => kept.remove(id),
    export: (id: string) => kept.export(id),
    fork: (from: string, to: string) => kept.fork(from, to),
    import: (bytes: Uint8Array, as?: string) => kept.import(bytes, as),
  };
}

async function archive(): Promise<Uint8Array> {
  const store = memory();
  await talked('chat', store);
  return sessions(store).export('chat');
}

function openIds(all: readonly ListedSession[]): string[] {
  return all.map(({ id }) => id);
}
