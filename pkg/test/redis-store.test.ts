import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSession, type Store } from 'compaction-governor';
import { checkStore } from 'compaction-governor/conformance';
import { redisStore } from '../examples/redis-store.js';
import { FakeRedis } from './fake-redis.js';
import { openHost, turn } from './host.js';

/** Every name is a prefix of its own, in one server. */
function prefixes(redis: FakeRedis): (name: string) => Store {
  return (name) => redisStore(redis, name);
}

test('the Redis example keeps the whole contract, and leaves nothing behind', async () => {
  const redis = new FakeRedis();
  const report = await checkStore(prefixes(redis));
  const broken = report.clauses.filter(({ status }) => status === 'broken');
  assert.deepEqual(broken, []);
  assert.ok(report.held >= 36, `${report.held} held`);
  assert.equal(redis.hashes.size, 0);
  assert.deepEqual([...redis.sorted.values()].flatMap((ids) => [...ids]), []);
});

test('without WATCH it loses updates, and the suite says so', async () => {
  const report = await checkStore(prefixes(new FakeRedis(false)), { clauses: ['create_race_one_winner', 'n_writers_x_m_increments_no_lost_update'] });
  assert.deepEqual(report.clauses.map(({ status }) => status), ['broken', 'broken']);
});

test('a conversation goes on where another process left it', async () => {
  const redis = new FakeRedis();
  const host = openHost({}, { id: 'shared', store: redisStore(redis) });
  while (host.session.history().length === 0) await turn(host, 700);
  await host.session.close();
  const other = openSession({ id: 'shared', store: redisStore(redis) });
  assert.deepEqual([(await other.ready).found, (await other.ready).durability], ['existing', 'durable']);
  assert.deepEqual(other.history(), host.session.history());
});
