// The public suite in Node: objects that keep the contract, and a table of broken ones with the clause that catches each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexedDb, injected, memory, type InjectedStore, type Store } from 'compaction-governor';
import { checkStore, type Report } from 'compaction-governor/conformance';
import { seen } from '../../tests/e2e/support/promises.mjs';
import { answering, KeptMap, type Data } from './kept-map.js';

/** A factory over places by name, as `checkStore` asks for. */
function places(make: (data: Data) => InjectedStore): (name: string) => Store {
  const data = new Map<string, Data>();
  return (name) => {
    const known = data.get(name) ?? new Map();
    data.set(name, known);
    return injected(make(known));
  };
}

function told({ clauses }: Report): string {
  return clauses.filter(({ status }) => status !== 'held').map(({ clause, sentence }) => `${clause}: ${sentence}`).join('\n');
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
let turns = 0;

const KEPT: Record<string, (data: Data) => InjectedStore> = {
  'with values': (data) => new KeptMap(data),
  'with promises': (data) => answering(new KeptMap(data), async (value) => value),
  'late, by turns': (data) => answering(new KeptMap(data), async (value) => (await later(turns++ % 3), value)),
};

for (const [how, make] of Object.entries(KEPT)) {
  test(`an object that answers ${how} keeps every clause in less than ten seconds`, async (context) => {
    const report = await checkStore(places(make));
    context.diagnostic(`${report.held} clauses in ${Math.round(report.totalMs)} ms`);
    seen({ store: 'injected', place: 'Node', promise: 'contract', kept: report.held, of: report.clauses.length });
    assert.equal(told(report), '');
    assert.deepEqual([report.ok, report.held, report.broken, report.notDeclared], [true, report.clauses.length, 0, 0]);
    assert.ok(report.clauses.length >= 39, String(report.clauses.length));
    assert.ok(report.totalMs < 10_000);
  });
}

test('what is not offered is said to be so, and nothing is called kept for it', async () => {
  const report = await checkStore(places((data) => {
    const kept = new KeptMap(data);
    return { load: (session) => kept.load(session), commit: (session, expected, batch, opId) => kept.commit(session, expected, batch, opId) };
  }));
  const missing = report.clauses.filter(({ status }) => status === 'not_declared').map(({ clause }) => clause);
  assert.equal(report.broken, 0, told(report));
  for (const clause of ['list_names_each_session_once_across_pages', 'remove_with_stale_expect_conflicts', 'roundtrip_at_limit', 'reopen_sees_last_ack']) assert.ok(missing.includes(clause), clause);
});

test('memory keeps what it declares, and a store that is not to be had here is broken with a sentence', async () => {
  const kept = await checkStore(() => memory());
  assert.deepEqual([kept.ok, kept.clauses.find(({ clause }) => clause === 'reopen_sees_last_ack')?.status], [true, 'not_declared'], told(kept));
  const absent = await checkStore((name) => indexedDb({ name }), { clauses: ['absent_load_is_none', 'two_sessions_isolated'] });
  assert.deepEqual([absent.ok, absent.broken], [false, 2]);
  assert.match(absent.clauses[0]?.sentence ?? '', /Unavailable/);
  const none = await checkStore(() => Object.freeze({ kind: 'mine' }), { clauses: ['absent_load_is_none'] });
  assert.match(none.clauses[0]?.sentence ?? '', /makeStore answered with no store of this package/);
});

test('clauses can be chosen, are told as they end, and an unknown one is broken', async () => {
  const told: string[] = [];
  const report = await checkStore(() => memory(), { clauses: ['two_sessions_isolated', 'no_such_clause'], onClause: ({ clause, status }) => told.push(`${clause} ${status}`) });
  assert.deepEqual(told, ['two_sessions_isolated held', 'no_such_clause broken']);
  assert.equal(report.ok, false);
});

test('what was written is removed at the end', async () => {
  const all: Data[] = [];
  await checkStore(places((data) => (all.push(data), new KeptMap(data))));
  assert.ok(all.length > 30);
  assert.deepEqual(all.flatMap((data) => [...data.keys()]), []);
});

/** A broken store: what is wrong with it, the clause that has to catch it, and how. */
interface Broken {
  readonly fault: string;
  readonly clause: string;
  readonly make: (data: Data) => InjectedStore;
}

/** A {@link KeptMap} with some methods of its own. */
function but(own: (kept: KeptMap, data: Data) => Partial<InjectedStore>): (data: Data) => InjectedStore {
  return (data) => {
    const kept = new KeptMap(data);
    return { ...answering(kept, async (value) => value), ...own(kept, data) };
  };
}

const BROKEN: readonly Broken[] = [
  { fault: 'never answers', clause: 'absent_load_is_none', make: but(() => ({ load: () => new Promise(() => {}) })) },
  { fault: 'rejects', clause: 'absent_load_is_none', make: but(() => ({ load: () => Promise.reject(new Error('down')) })) },
  { fault: 'throws', clause: 'create_if_absent_then_exists', make: but(() => ({ commit: () => { throw new Error('down'); } })) },
  { fault: 'takes an empty record for none', clause: 'absent_load_is_none', make: but((kept) => ({ load: (session) => kept.load(session) ?? { revision: 1, parts: new Map() } })) },
  { fault: 'lets everybody create', clause: 'create_race_one_winner', make: but((kept, data) => ({ commit: (session, expected, batch, opId) => (expected === null && data.delete(session), kept.commit(session, expected, batch, opId)) })) },
  { fault: 'does not compare', clause: 'cas_stale_conflict_reports_actual', make: but((kept, data) => ({ commit: (session, _, batch, opId) => kept.commit(session, data.get(session)?.revision ?? null, batch, opId) })) },
  { fault: 'compares and writes in two steps', clause: 'n_writers_x_m_increments_no_lost_update', make: but((kept, data) => ({
    async commit(session, expected, batch, opId) {
      const actual = data.get(session)?.revision ?? null;
      await later(0);
      return actual === expected ? kept.commit(session, data.get(session)?.revision ?? null, batch, opId) : { conflict: actual };
    },
  })) },
  { fault: 'counts by two', clause: 'cas_success_bumps_by_one', make: but((kept, data) => ({
    commit(session, expected, batch, opId) {
      const answer = kept.commit(session, expected, batch, opId);
      const held = data.get(session);
      if (!('revision' in answer) || !held) return answer;
      held.revision += 1;
      return { revision: held.revision };
    },
  })) },
  { fault: 'names another revision in a conflict', clause: 'cas_stale_conflict_reports_actual', make: but((kept) => ({
    commit(session, expected, batch, opId) {
      const answer = kept.commit(session, expected, batch, opId);
      return 'conflict' in answer && answer.conflict !== null ? { conflict: answer.conflict + 5 } : answer;
    },
  })) },
  { fault: 'writes on a conflict', clause: 'cas_conflict_writes_nothing', make: but((kept, data) => ({
    commit(session, expected, batch, opId) {
      const answer = kept.commit(session, expected, batch, opId);
      if ('conflict' in answer) for (const [part, bytes] of batch.puts) data.get(session)?.parts.set(part, bytes);
      return answer;
    },
  })) },
  { fault: 'forgets deletions', clause: 'delete_and_put_same_key_in_batch_order', make: but((kept) => ({ commit: (session, expected, { puts }, opId) => kept.commit(session, expected, { puts, deletes: [] }, opId) })) },
  { fault: 'keeps half of a batch', clause: 'roundtrip_bytes_exact', make: but((kept) => ({ commit: (session, expected, { puts, deletes }, opId) => kept.commit(session, expected, { puts: new Map([...puts].slice(0, 1)), deletes }, opId) })) },
  { fault: 'shows half of a batch while it writes', clause: 'snapshot_is_not_torn_during_concurrent_commit', make: but((kept, data) => ({
    async commit(session, expected, batch, opId) {
      const before = kept.load(session);
      const answer = kept.commit(session, expected, batch, opId);
      const held = data.get(session);
      if (!before || !held || !('revision' in answer)) return answer;
      const { parts } = held;
      held.parts = new Map([...parts, ...before.parts].filter(([part]) => part !== 'root'));
      held.parts.set('root', parts.get('root') ?? new Uint8Array());
      await later(1);
      held.parts = parts;
      return answer;
    },
  })) },
  { fault: 'keeps bytes as text', clause: 'roundtrip_bytes_exact', make: but((kept) => ({
    load(session) {
      const held = kept.load(session);
      return held && { ...held, parts: new Map([...held.parts].map(([part, bytes]) => [part, new TextEncoder().encode(new TextDecoder().decode(bytes))])) };
    },
  })) },
  { fault: 'cuts long values', clause: 'roundtrip_at_limit', make: but((kept) => ({ commit: (session, expected, { puts, deletes }, opId) => kept.commit(session, expected, { puts: new Map([...puts].map(([part, bytes]) => [part, bytes.slice(0, 4_359)])), deletes }, opId) })) },
  { fault: 'mixes sessions up', clause: 'two_sessions_isolated', make: but((kept) => ({ load: () => kept.load('one'), commit: (_, expected, batch, opId) => kept.commit('one', expected, batch, opId) })) },
  { fault: 'folds upper and lower case', clause: 'key_prefix_no_bleed', make: but((kept) => ({ load: (session) => kept.load(session.toLowerCase()), commit: (session, expected, batch, opId) => kept.commit(session.toLowerCase(), expected, batch, opId) })) },
  { fault: 'acknowledges before it is kept', clause: 'read_your_commit_same_context', make: but((kept, data) => ({
    commit(session, expected, batch, opId) {
      const held = data.get(session);
      if ((held?.revision ?? null) !== expected) return { conflict: held?.revision ?? null };
      setTimeout(() => kept.commit(session, expected, batch, opId), 2);
      return { revision: (expected ?? 0) + 1 };
    },
  })) },
  { fault: 'serves a copy of its own', clause: 'read_commit_other_context_after_ack', make: (data) => {
    const cache = new Map<string, ReturnType<KeptMap['load']>>();
    const kept = new KeptMap(data);
    return { ...answering(kept, async (value) => value), load: (session) => (cache.has(session) || cache.set(session, kept.load(session)), cache.get(session)), commit: (session, expected, batch, opId) => (cache.delete(session), kept.commit(session, expected, batch, opId)) };
  } },
  { fault: 'survives less than it says', clause: 'reopen_sees_last_ack', make: () => new KeptMap() },
  { fault: 'lists by pages that begin anew', clause: 'list_names_each_session_once_across_pages', make: but((kept) => ({ list: () => kept.list(undefined, 2) })) },
  { fault: 'lists by number of row', clause: 'list_pagination_stable_under_writes', make: but((_, data) => ({
    list(after, limit) {
      const ids = [...data.keys()].sort();
      return ids.slice(ids.indexOf(after ?? '') + 1).slice(0, limit);
    },
  })) },
  { fault: 'removes whatever the revision', clause: 'remove_with_stale_expect_conflicts', make: but((kept) => ({ remove: (session) => kept.remove(session) })) },
  { fault: 'removes nothing', clause: 'two_sessions_isolated', make: but(() => ({ remove: () => {} })) },
  { fault: 'ends for every context when one is closed', clause: 'closed_store_returns_closed', make: but((_, data) => ({ close: () => data.clear() })) },
];

for (const { fault, clause, make } of BROKEN) {
  test(`a store that ${fault} breaks ${clause}`, async () => {
    const clauses = [clause];
    const held = await checkStore(places(KEPT['with promises'] ?? make), { clauses });
    assert.deepEqual([held.ok, told(held)], [true, '']);
    const report = await checkStore(places(make), { clauses, clauseTimeoutMs: 1_000 });
    assert.deepEqual([report.ok, report.clauses[0]?.status], [false, 'broken']);
    assert.ok((report.clauses[0]?.sentence.length ?? 0) > 10, report.clauses[0]?.sentence);
  });
}

test('a store that fails at everything is reported to the end', async () => {
  const report = await checkStore(places(() => ({ load: () => { throw new Error('down'); }, commit: () => Promise.reject(new Error('down')) })));
  assert.ok(report.broken >= 30, told(report));
  assert.ok(report.clauses.filter(({ status }) => status === 'broken').every(({ sentence }) => sentence.length > 10), told(report));
});
