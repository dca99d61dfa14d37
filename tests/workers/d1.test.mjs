// The example for D1 against Miniflare's, which is the SQLite of workerd.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { seen } from '../e2e/support/promises.mjs';
import { startWorkers } from './support/workers.mjs';

const entry = fileURLToPath(new URL('lab/d1.mjs', import.meta.url));
const workers = await startWorkers(entry, { d1Databases: ['DB'] });

test('the example for D1 keeps the whole contract, and leaves nothing behind', async () => {
  const report = await workers.ask('d1', 'check');
  seen({ store: 'D1 (example)', place: 'Miniflare', promise: 'contract', kept: report.held, of: report.clauses.length - report.notDeclared });
  assert.deepEqual(report.clauses.filter(({ status }) => status === 'broken'), []);
  assert.ok(report.held >= 36, `${report.held} held`);
  assert.equal(report.left, 0);
});

test('without its comparison it loses updates, and the suite says so', async () => {
  const report = await workers.ask('d1', 'check', { comparing: false, clauses: ['create_race_one_winner', 'n_writers_x_m_increments_no_lost_update'] });
  assert.deepEqual(report.clauses.map(({ status }) => status), ['broken', 'broken']);
});

test('a conversation in D1 goes on in the next isolate', async () => {
  const { history } = await workers.ask('d1', 'talk', { compact: true });
  assert.equal(history.length, 1);
  await workers.restart();
  const after = await workers.ask('d1', 'talk', {});
  seen({ store: 'D1 (example)', place: 'Miniflare', promise: 'reload', kept: Number(after.found === 'existing'), of: 1 });
  assert.deepEqual([after.found, after.durability, after.history], ['existing', 'durable', history]);
});
