import assert from 'node:assert/strict';
import { test } from 'node:test';

type Package = typeof import('compaction-governor');
const copy = (n: number): Promise<Package> => import(new URL(`../../../dist/index.js?copy=${n}`, import.meta.url).href);

test('two copies of the package in one process recognise each other\'s errors and keep their sessions apart', async () => {
  const [one, two] = await Promise.all([copy(1), copy(2)]);
  assert.notEqual(one.openSession, two.openSession);
  try {
    one.openSession({ id: '', store: one.memory() });
    assert.fail('not refused');
  } catch (error) {
    assert.ok(one.isCompactionError(error) && two.isCompactionError(error));
  }
  assert.throws(() => two.openSession({ id: 'a', store: one.memory() }), { code: 'invalid_option' });
  for (const other of [undefined, null, 'CompactionError', new Error('x'), { code: 'x', retryable: true }]) assert.ok(!one.isCompactionError(other));
});
