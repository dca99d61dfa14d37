// `agents/sessions` as it is published, with the governor beside it.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Model } from './support/model.mjs';
import { startWorkers } from './support/workers.mjs';

const model = new Model();
const entry = fileURLToPath(new URL('lab/agents.mjs', import.meta.url));
const workers = await startWorkers(entry, { objects: { AGENT: 'Agent' }, serviceBindings: { MODEL: model.handle }, compatibilityFlags: ['nodejs_compat'] });
const text = (n) => `message ${n} ${'lorem ipsum '.repeat(120)}`;
const down = () => Response.json({ error: { message: 'down' } }, { status: 500 });

beforeEach(() => {
  model.summarize = Model.summary;
});

async function talk(object, turns) {
  let last;
  for (let n = 0; n < turns; n += 1) last = await workers.ask(object, 'say', { text: text(n) });
  return last;
}

test('its history is compacted when the governor says so, and shows the governor\'s summary as its overlay', async () => {
  const { prompt } = await talk('plain', 14);
  const { read } = await workers.ask('plain', 'say', { text: 'short' });
  const { compactions, overlays, shown, rows } = await workers.ask('plain', 'state');
  assert.ok(compactions.length >= 1);
  assert.deepEqual(overlays.at(-1), compactions.at(-1));
  assert.equal(model.of('small', 'plain').length, compactions.length, 'one call each');
  assert.equal(rows, 30, 'every message is kept');
  assert.ok(shown < rows && prompt < 4_096, `${shown} shown, ${prompt} tokens sent`);
  assert.ok(read <= shown, `${read} of ${rows} messages were read for a turn`);
});

test('a summariser that fails is asked again after its pause, not with each message: its own compaction asks each time', async () => {
  model.summarize = down;
  await talk('failing', 16);
  const { guards, compactions } = await workers.ask('failing', 'state');
  assert.deepEqual([model.of('small', 'failing').length, guards.cooldownClass, compactions.length], [1, 'other', 0]);
  await workers.ask('as it is', 'ungoverned');
  assert.ok(model.of('small', 'as it is').length >= 3, `${model.of('small', 'as it is').length} calls without the governor`);
});

test('the pause outlives the object', async () => {
  model.summarize = down;
  await talk('paused', 16);
  await workers.ask('paused', 'abort').catch(() => undefined);
  await talk('paused', 3);
  assert.equal(model.of('small', 'paused').length, 1);
  assert.equal((await workers.ask('paused', 'state')).found, 'existing');
});

test('an overlay that was not written any more is made by the next turn, once', async () => {
  await talk('evicted', 12);
  const before = await workers.ask('evicted', 'state');
  await workers.ask('evicted', 'dropOverlays');
  await workers.ask('evicted', 'abort').catch(() => undefined);
  assert.deepEqual((await workers.ask('evicted', 'state')).overlays, []);
  await workers.ask('evicted', 'say', { text: 'short' });
  await workers.ask('evicted', 'say', { text: 'short' });
  const after = await workers.ask('evicted', 'state');
  assert.deepEqual([after.overlays, after.compactions], [[before.compactions.at(-1)], before.compactions]);
});

test('20 turns at once pay for one summary', async () => {
  await talk('together', 8);
  const paid = model.of('small', 'together').length;
  const letGo = model.hold();
  const asked = model.asked();
  const all = Promise.all(Array.from({ length: 20 }, () => workers.ask('together', 'say', { text: text(1) })));
  await asked;
  letGo();
  await all;
  assert.ok(model.of('small', 'together').length - paid <= 2, `${model.of('small', 'together').length - paid} calls`);
});
