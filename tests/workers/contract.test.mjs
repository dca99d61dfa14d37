// `checkStore` inside workerd, on the storage of a real object.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { seen } from '../e2e/support/promises.mjs';
import { startWorkers } from './support/workers.mjs';

const entry = fileURLToPath(new URL('lab/contract.mjs', import.meta.url));
const workers = await startWorkers(entry, { objects: { CONTRACT: 'Contract' } });

test('the storage of an object keeps the whole contract, and nothing is left behind', async () => {
  const report = await workers.ask('one', 'check');
  seen({ store: 'durableObject', place: 'workerd', promise: 'contract', kept: report.held, of: report.clauses.length - report.notDeclared });
  assert.deepEqual(report.clauses.filter(({ status }) => status === 'broken'), []);
  assert.ok(report.held >= 36, `${report.held} held, not declared: ${report.clauses.filter(({ status }) => status !== 'held').map(({ clause }) => clause)}`);
  const clause = (name) => report.clauses.find(({ clause }) => clause === name)?.status;
  assert.deepEqual(report.left, []);
  assert.deepEqual([clause('roundtrip_at_limit'), clause('over_limit_is_value_too_large_and_nothing_changes')], ['held', 'held'], 'fault 29: refused before the write');
});

test('storage that answers with what it read before breaks the contract, and the suite says so', async () => {
  const clauses = ['cas_stale_conflict_reports_actual', 'n_writers_x_m_increments_no_lost_update', 'create_race_one_winner'];
  const report = await workers.ask('one', 'check', { broken: true, clauses });
  assert.ok(report.broken > 0, JSON.stringify(report.clauses));
});
