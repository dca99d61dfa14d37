import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHost, turn, type Host } from './host.js';

const START = 1_800_000_000_000;

/** A session whose summariser has failed once: blocked until a time. */
async function coolingDown(): Promise<Host> {
  const host = openHost({}, { summarize: () => Promise.reject(Object.assign(new Error('down'), { status: 500 })) });
  for (let i = 0; i < 14 && host.session.explain().action !== 'blocked'; i++) await turn(host, 300);
  return host;
}

/** Lets everything run that waits for nothing but its turn. */
async function settled(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

test('at wakeAt subscribers are told and find another decision, and not before', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START });
  const { session } = await coolingDown();
  await settled();
  const before = session.getSnapshot();
  const { wakeAt } = before;
  assert.ok(wakeAt !== undefined && before.decision.action === 'blocked', before.decision.sentence);
  let told = 0;
  session.subscribe(() => told++);
  context.mock.timers.tick(wakeAt - Date.now() - 1);
  await settled();
  assert.deepEqual([told, session.getSnapshot() === before], [0, true]);
  context.mock.timers.tick(1);
  await settled();
  assert.ok(told > 0);
  assert.equal(session.getSnapshot().decision.action, 'compact');
  assert.equal(session.getSnapshot(), session.getSnapshot());
});

test('a countdown does not keep the process alive', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const { session } = await coolingDown();
  assert.ok(session.getSnapshot().wakeAt !== undefined);
  assert.equal(timers(), before);
});

test('several changes in one go are one notice', async () => {
  const host = openHost();
  await host.session.ready;
  await settled();
  let told = 0;
  host.session.subscribe(() => told++);
  for (let length = 1; length <= 5; length++) host.session.advanced.observe(Array.from({ length }, () => ({ role: 'user' as const, content: 'x' })));
  assert.equal(told, 0, 'never in the middle of the call that changes');
  await Promise.resolve();
  assert.equal(told, 1);
});

test('a closed session tells nobody anything more', async () => {
  const host = openHost();
  let told = 0;
  host.session.subscribe(() => told++);
  await host.session.close();
  await settled();
  told = 0;
  await turn(host, 100);
  assert.equal(told, 0);
});
