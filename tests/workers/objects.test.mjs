// One conversation in one Durable Object: what its storage keeps, and what a turn writes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Model } from './support/model.mjs';
import { startWorkers } from './support/workers.mjs';

const model = new Model();
const entry = fileURLToPath(new URL('lab/lab.mjs', import.meta.url));
const workers = await startWorkers(entry, { objects: { LAB: 'Lab', OLD: { className: 'Old', useSQLite: false } }, kvNamespaces: ['KV'], serviceBindings: { MODEL: model.handle } });
const ask = (object, command, argument) => workers.ask(object, command, argument);

const text = (n) => `message ${n} ${'lorem ipsum '.repeat(180)}`;

test('a turn writes nothing, intent and verdict one row each, a commit two', async () => {
  const written = [];
  for (let n = 0; n < 8; n += 1) {
    await workers.ask('rows', 'say', { text: text(n) });
    written.push((await workers.ask('rows', 'written')).map((key) => key.split('/')[1]));
  }
  const pass = written.findIndex((keys) => keys.length > 0);
  assert.ok(pass > 2, JSON.stringify(written));
  assert.deepEqual(written.slice(0, pass).flat(), []);
  assert.deepEqual(written[pass], ['head', 'part', 'head', 'head'], 'intent, summary with its root record, verdict');
  assert.deepEqual(written[pass + 1], []);
});

test('no clock is read and nothing random drawn while the modules load, and one instance serves every object', async () => {
  assert.deepEqual(await ask('first', 'loading'), { asked: [], instances: 1 });
  assert.deepEqual(await ask('second', 'loading'), { asked: [], instances: 1 });
});

test('the same storage is the same store, and a session opened in a constructor is ready for the first request', async () => {
  assert.equal(await ask('same', 'stores'), true);
  const { found, decision, snapshot } = await ask('same', 'state');
  assert.deepEqual([found, decision.action, snapshot.durability], ['new', 'hold', 'durable']);
});

test('50 requests to one object at once pay for one summary', async () => {
  await ask('together', 'fill', { messages: 19 });
  const letGo = model.hold();
  const asked = model.asked();
  const all = Promise.all(Array.from({ length: 50 }, () => ask('together', 'prepare')));
  await asked;
  letGo();
  const steps = await all;
  assert.equal(steps.filter(({ compacted }) => compacted).length, 1);
  const { history, guards } = await ask('together', 'state');
  assert.deepEqual([model.of('small', 'together').length, history.length, guards.compactions], [1, 1, 1]);
});

test('50 callers inside one object at once pay for one summary, too', async () => {
  await ask('inside', 'fill', { messages: 19 });
  const ended = await ask('inside', 'together', { callers: 50, command: 'prepare' });
  assert.ok(ended.every((status) => status === 'fulfilled'));
  assert.equal(model.of('small', 'inside').length, 1);
});

test('no timer is left behind that would keep an object from going to sleep, and the snapshot says when to wake it', async () => {
  await ask('asleep', 'fill', { messages: 19 });
  model.summarize = () => Response.json({ error: { message: 'down' } }, { status: 500 });
  const { set, running, wakeAt } = await ask('asleep', 'timers');
  model.summarize = Model.summary;
  assert.ok(wakeAt > Date.now(), String(wakeAt));
  assert.ok(set > 0, 'the attempt had its timers');
  assert.deepEqual(running, []);
});

test('fault 25 Workers KV is refused for state, by either name, with the reason', async () => {
  for (const of of ['kv', 'kvAsStorage']) await assert.rejects(ask('refused', 'refusal', { of }), ({ code, message }) => code === 'no_compare_and_swap' && /Workers KV compares nothing .* Durable Object/.test(message));
  await assert.rejects(ask('refused', 'refusal', { of: 'nothing' }), ({ code }) => code === 'invalid_option');
});

test('a class with the old back end is told what to declare', async () => {
  const { error } = await (await workers.fetch('/old')).json();
  assert.deepEqual([error?.code, /new_sqlite_classes/.test(error?.message)], ['invalid_option', true]);
});

test('an instance that traps in one object leaves the others untouched, and each goes on from its own state with its next request', async () => {
  for (const object of ['trapped', 'beside']) {
    await ask(object, 'fill', { messages: 19 });
    await ask(object, 'prepare');
  }
  const before = { trapped: await ask('trapped', 'state'), beside: await ask('beside', 'state') };
  await ask('trapped', 'breakInstance');
  assert.equal((await ask('trapped', 'prepare')).compacted, false, 'the request that met the fault is sent as it is');
  for (const object of ['beside', 'trapped']) {
    assert.match((await ask(object, 'prepare')).firstText, /is a summary of the earlier part/, object);
    const { history, guards, revision } = await ask(object, 'state');
    assert.deepEqual([history, guards, revision], [before[object].history, before[object].guards, before[object].revision], object);
    assert.deepEqual(await ask(object, 'reopen'), { same: true, found: 'existing' }, object);
  }
  assert.equal((await ask('untouched', 'say', { text: 'hello' })).compactions, 0);
});
