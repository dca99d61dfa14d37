import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as imported from 'compaction-governor';
import * as slim from 'compaction-governor/slim';

const heard = async ({ openSession, memory }, id) => {
  const events = [];
  const session = openSession({ id, store: memory() });
  session.on((event) => events.push(event.type === 'two_copies' ? event.versions.length : event.type));
  await session.ready;
  await Promise.resolve();
  await session.close();
  return events;
};

test('one import is one copy, whichever of its entries is asked', async () => {
  assert.equal(slim.openSession, imported.openSession);
  assert.deepEqual(await heard(imported, 'alone'), []);
});

test('a second copy is noticed by both, and a store of the other one is refused by name', async () => {
  const required = createRequire(import.meta.url)('compaction-governor');
  assert.notEqual(required.openSession, imported.openSession);
  assert.deepEqual([await heard(imported, 'first'), await heard(required, 'second')], [[2], [2]]);
  const mixed = () => imported.openSession({ id: 'mixed', store: required.memory() });
  assert.throws(mixed, (error) => required.isCompactionError(error) && error.code === 'two_copies' && /npm ls compaction-governor/.test(error.message));
  assert.throws(() => imported.openSession({ id: 'none', store: { kind: 'memory' } }), { code: 'invalid_option' });
});
