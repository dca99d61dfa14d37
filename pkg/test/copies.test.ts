import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

type Package = typeof import('compaction-governor');
const built = (file: string): string => new URL(`../../../dist/${file}`, import.meta.url).href;

test('two copies of the package in one process recognise each other\'s errors and keep their sessions apart', async () => {
  const one: Package = await import(built('index.js'));
  const two: Package = createRequire(import.meta.url)(fileURLToPath(built('index.cjs')));
  assert.notEqual(one.openSession, two.openSession);
  try {
    one.openSession({ id: '', store: one.memory() });
    assert.fail('not refused');
  } catch (error) {
    assert.ok(one.isCompactionError(error) && two.isCompactionError(error));
  }
  assert.throws(() => two.openSession({ id: 'a', store: one.memory() }), { code: 'two_copies' });
  assert.throws(() => two.openSession({ id: 'a', store: { kind: 'memory' } }), { code: 'invalid_option' });
  for (const other of [undefined, null, 'CompactionError', new Error('x'), { code: 'x', retryable: true }]) assert.ok(!one.isCompactionError(other));
});
