import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeRecord, memory, openSession } from 'compaction-governor';
import { openHost, turn } from './host.js';

test('the records of a session are what its snapshot says, and no other session can read them', async () => {
  const host = openHost();
  assert.deepEqual(await host.session.advanced.records(), [], 'nothing is stored before there is something to remember');
  while (host.session.history().length < 1) await turn(host, 350);
  const records = await host.session.advanced.records();
  assert.deepEqual(records.map(({ part }) => part).toSorted(), ['1', 'root']);
  const root = records.find(({ part }) => part === 'root');
  assert.ok(root);
  const { compactions, summaryTokensSpent } = host.session.getSnapshot();
  const read = decodeRecord(root.bytes, host.session.id);
  assert.deepEqual([read?.compactions, read?.summaryTokensSpent], [compactions, summaryTokensSpent]);
  assert.equal(decodeRecord(root.bytes, 'another'), undefined);
});

test('a removed session starts anew', async () => {
  const store = memory();
  const host = openHost({}, { store });
  while (host.session.history().length < 1) await turn(host, 350);
  await host.session.close();
  await host.session.advanced.remove();
  const again = openSession({ id: host.session.id, store });
  assert.equal((await again.ready).found, 'new');
  assert.deepEqual(again.history(), []);
});
