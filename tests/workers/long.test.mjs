// 500 MB of history in one object. It is woken in a process of its own, so that what that process takes is what the wake takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startWorkers } from './support/workers.mjs';

const entry = fileURLToPath(new URL('lab/long.mjs', import.meta.url));
const workers = await startWorkers(entry, { objects: { LONG: 'Long' } });
const MB = 1_024 * 1_024;

test('an object with 500 MB of history wakes, decides and sends, and reads what lies behind its summary alone', async (t) => {
  let grown;
  for (let n = 0; n < 25; n += 1) grown = await workers.ask('one', 'grow', { megabytes: 20 });
  assert.ok(grown.bytes > 500_000_000, `${grown.bytes} bytes`);
  assert.ok(grown.compactions > 100, `${grown.compactions} compactions`);
  await workers.restart();
  const idle = workers.megabytes();
  const step = await workers.ask('one', 'turn');
  const { rowsRead, messages } = await workers.ask('one', 'facts');
  const taken = workers.megabytes() - idle;
  t.diagnostic(`${(grown.bytes / MB).toFixed(0)} MB in ${messages} messages: ${rowsRead} rows read, ${step.sent} messages sent, the process grew by ${taken.toFixed(0)} MB`);
  assert.ok(rowsRead <= 32 && step.rows === rowsRead, `${rowsRead} of ${messages} rows were read`);
  assert.ok(step.used < 32_000, JSON.stringify(step));
  assert.ok(taken < 96, `the wake took ${taken.toFixed(0)} MB`);
});
