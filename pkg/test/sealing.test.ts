import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aesGcm, injected, openSession, type Codec, type InjectedBatch, type InjectedRecord, type InjectedStore, type SealingKey } from 'compaction-governor';
import { openHost, turn } from './host.js';

/** A server that counts and compares, and can be searched. */
class Server implements InjectedStore {
  readonly capabilities = { survives: 'kill' } as const;
  readonly sessions = new Map<string, InjectedRecord>();

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

  /** Another object over what is there now: a reload. */
  again(): Server {
    const other = new Server();
    for (const [id, held] of this.sessions) other.sessions.set(id, held);
    return other;
  }

  holds(text: string): boolean {
    const all = [...this.sessions.values()].flatMap(({ parts }) => [...parts.values()]);
    return all.some((bytes) => Buffer.from(bytes).includes(text));
  }
}

const key = (): Promise<SealingKey> => crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);

async function compacted(server: Server, seal?: Codec): Promise<string> {
  const host = openHost({}, { id: 'secret', store: injected(server, seal ? { seal } : {}) });
  while (host.session.history().length === 0) await turn(host, 700);
  const summary = host.session.history()[0]?.summary ?? '';
  await host.session.close();
  return summary;
}

test('a sealed summary cannot be found in the store, and is there again after a reload', async () => {
  const [server, plain, seal] = [new Server(), new Server(), aesGcm(await key())];
  const summary = await compacted(server, seal);
  assert.ok((await compacted(plain)).length > 0 && plain.holds(summary.slice(0, 12)), 'the search finds what is not sealed');
  assert.equal(server.holds(summary.slice(0, 12)), false);
  const again = openSession({ id: 'secret', store: injected(server.again(), { seal }) });
  assert.equal((await again.ready).found, 'existing');
  assert.equal(again.history()[0]?.summary, summary);
});

test('without its key a sealed session is read-only; with another key it is set aside', async () => {
  const server = new Server();
  await compacted(server, aesGcm(await key()));
  const before = server.sessions.get('secret');
  const bare = openSession({ id: 'secret', store: injected(server.again()) });
  assert.equal((await bare.ready).found, 'read_only');
  const other = server.again();
  const lost = openSession({ id: 'secret', store: injected(other, { seal: aesGcm(await key()) }) });
  assert.equal((await lost.ready).found, 'quarantined');
  assert.equal(server.sessions.get('secret'), before);
});

test('a codec that fails, hangs or answers nonsense degrades the session and loses nothing', async () => {
  const [server, real] = [new Server(), aesGcm(await key())];
  await compacted(server, real);
  const nonsense: unknown = 'no bytes';
  for (const open of [() => { throw new Error('locked'); }, async () => { throw new Error('locked'); }, () => nonsense]) {
    const broken: unknown = { seal: real.seal, open };
    const page = server.again();
    const session = openSession({ id: 'secret', store: injected(page, { seal: broken as Codec }) });
    assert.equal((await session.ready).durability, 'degraded');
    assert.deepEqual(page.sessions, server.sessions);
  }
});

test('a key that could not be had is asked for again, and once had never again', async () => {
  const made = await key();
  let asked = 0;
  const codec = aesGcm(async () => {
    asked += 1;
    if (asked === 1) throw new Error('not yet');
    return made;
  });
  const about = new Uint8Array([1]);
  await assert.rejects(async () => codec.seal(new Uint8Array([7]), about));
  const sealed = await codec.seal(new Uint8Array([7]), about);
  assert.deepEqual(await codec.open(sealed, about), new Uint8Array([7]));
  assert.equal(await codec.open(sealed, new Uint8Array([2])), undefined, 'sealed about something else');
  assert.notDeepEqual(await codec.seal(new Uint8Array([7]), about), sealed, 'a nonce is used once');
  assert.equal(asked, 2);
});
