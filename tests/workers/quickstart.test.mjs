// What README shows for Durable Objects is this file's subject, letter for letter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startWorkers } from './support/workers.mjs';

const entry = fileURLToPath(new URL('lab/quickstart.mjs', import.meta.url));
const workers = await startWorkers(entry, { objects: { CONVERSATION: 'Conversation' }, serviceBindings: { AI: { name: 'main', entrypoint: 'Ai' } } });
const text = (n) => `message ${n} ${'lorem ipsum '.repeat(700)}`;

test('the quickstart answers past its window, and goes on after a kill', async () => {
  for (let n = 0; n < 14; n += 1) assert.match(await workers.ask('chat', 'ask', { text: text(n) }), /^read by @cf\/meta/);
  const before = await workers.ask('chat', 'state');
  assert.ok(before.history.length >= 1 && before.asked.small === before.history.length, JSON.stringify(before.asked));
  assert.equal(before.alarm, null);
  await workers.killAndRestart();
  assert.deepEqual((await workers.ask('chat', 'state')).history, before.history);
  assert.match(await workers.ask('chat', 'ask', { text: 'and on' }), /^read by/);
});

test('a summariser that is down costs no answer, and an alarm tries it again', async () => {
  await workers.ask('down', 'failing', { failing: true });
  for (let n = 0; n < 11; n += 1) assert.match(await workers.ask('down', 'ask', { text: text(n) }), /^read by/);
  const { alarm, decision, history } = await workers.ask('down', 'state');
  assert.deepEqual([history.length, decision.action], [0, 'blocked'], JSON.stringify(decision));
  assert.ok(alarm > Date.now() && alarm < Date.now() + 3_600_000);
  await workers.ask('down', 'failing', { failing: false });
});
