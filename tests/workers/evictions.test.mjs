// An object ends whenever the platform likes: between intent and commit, during the model call, between two passes, before
// anything was acknowledged. What its storage holds then is what the next one goes on from.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { seen } from '../e2e/support/promises.mjs';
import { Model } from './support/model.mjs';
import { startWorkers } from './support/workers.mjs';

const model = new Model();
const entry = fileURLToPath(new URL('lab/lab.mjs', import.meta.url));
const workers = await startWorkers(entry, { objects: { LAB: 'Lab' }, serviceBindings: { MODEL: model.handle } });

const text = (n) => `message ${n} ${'lorem ipsum '.repeat(180)}`;
const ask = (object, command, argument) => workers.ask(object, command, argument);
const end = (object) => ask(object, 'abort').then(() => assert.fail('the object answered after its end'), () => undefined);

async function untilCompactions(object, count) {
  for (let n = 0; n < 30; n += 1) if ((await ask(object, 'say', { text: text(n) })).compactions >= count) return;
  assert.fail(`${object} never had ${count} compactions`);
}

beforeEach(() => {
  model.gate = Promise.resolve();
});

test('fault 26 an object that ends between intent and commit leaves an attempt that the next one ends, and counts once', async () => {
  await ask('intent', 'fill', { messages: 19 });
  const { compactionId } = await ask('intent', 'claim');
  assert.equal(typeof compactionId, 'string');
  await end('intent');
  const found = await ask('intent', 'state');
  assert.deepEqual([found.found, found.guards.phase, found.guards.interruptedStreak, found.born > 1], ['existing', 'compacting', 0, true]);
  const step = await ask('intent', 'prepare');
  assert.equal(step.compacted, true, JSON.stringify(step.decision));
  const after = await ask('intent', 'state');
  assert.notEqual(after.history[0].compactionId, compactionId);
  assert.equal(after.history.length, 1);
  assert.equal(model.of('small', 'intent').length, 1);
  assert.ok(after.guards.attemptsWithoutProgress <= 1, JSON.stringify(after.guards));
});

test('an object that ends during the model call pays once more, and the late summary changes nothing', async () => {
  await ask('call', 'fill', { messages: 19 });
  const letGo = model.hold();
  const asked = model.asked();
  const cut = ask('call', 'prepare').then(() => 'answered', () => 'ended');
  await asked;
  const claimed = await ask('call', 'state');
  assert.equal(claimed.guards.phase, 'compacting');
  await end('call');
  assert.equal(await cut, 'ended');
  letGo();
  const step = await ask('call', 'prepare');
  assert.equal(step.compacted, true);
  const { history, guards } = await ask('call', 'state');
  assert.deepEqual([history.length, model.of('small', 'call').length, guards.compactions], [1, 2, 1]);
});

test('between two passes the summary before is there, and goes into the next request once', async () => {
  await untilCompactions('passes', 1);
  const before = await ask('passes', 'state');
  await end('passes');
  const found = await ask('passes', 'state');
  seen({ store: 'durableObject', place: 'workerd', promise: 'reload', kept: Number(found.revision === before.revision), of: 1 });
  assert.deepEqual([found.found, found.history], ['existing', before.history]);
  const asked = model.of('small', 'passes').length;
  model.summarize = () => Response.json({ choices: [{ index: 0, message: { role: 'assistant', content: 'A second summary: the user goes on with numbered messages, all of them answered.' }, finish_reason: 'stop' }], usage: { prompt_tokens: 900, completion_tokens: 30, total_tokens: 930 } });
  await untilCompactions('passes', 2);
  const requests = model.of('small', 'passes').slice(asked);
  assert.equal(requests.length, 1);
  const said = requests[0].messages.map(({ content }) => JSON.stringify(content)).join('\n');
  assert.equal(said.split('The user tests with numbered messages').length - 1, 1);
  assert.equal((await ask('passes', 'state')).guards.compactions, 2);
});

test('fault 27 an abort before the acknowledgement leaves what was acknowledged before', async () => {
  await ask('unacknowledged', 'fill', { messages: 19 });
  assert.equal((await ask('unacknowledged', 'state')).revision, 0);
  await assert.rejects(ask('unacknowledged', 'claimAndAbort'));
  const found = await ask('unacknowledged', 'state');
  assert.deepEqual([found.revision, found.found, found.guards], [0, 'new', undefined], 'the caller heard of no intent, and there is none');
  assert.equal((await ask('unacknowledged', 'prepare')).compacted, true);
});

test('fault 27 a throw behind a write keeps the write, and so does the session', async () => {
  let compacted = false;
  for (let n = 0; n < 12 && !compacted; n += 1) {
    const response = await workers.fetch('/thrown/sayAndThrow', { method: 'POST', body: JSON.stringify({ text: text(n) }) });
    assert.equal(response.status, 500);
    compacted = model.of('small', 'thrown').length > 0;
  }
  const before = await ask('thrown', 'state');
  assert.deepEqual([before.history.length, before.snapshot.durability], [1, 'durable']);
  await end('thrown');
  const found = await ask('thrown', 'state');
  assert.deepEqual([found.revision, found.history], [before.revision, before.history]);
});

test('a transaction of the host that is rolled back takes an intent or a commit along, and the session goes on from what is kept', async () => {
  for (const [object, nth] of [['intent back', 1], ['commit back', 2]]) {
    await ask(object, 'fill', { messages: 19 });
    await ask(object, 'prepareRolledBack', { nth });
    await ask(object, 'say', { text: 'short' });
    const said = await ask(object, 'state');
    await end(object);
    const found = await ask(object, 'state');
    assert.deepEqual([found.history, found.revision, found.guards.ineffectiveStreak], [said.history, said.revision, 0], object);
    await ask(object, 'say', { text: 'short' });
    assert.equal((await ask(object, 'state')).history.length, 1, object);
    assert.ok(model.of('small', object).length <= 2, object);
  }
});

test('a kill of the process keeps all that was acknowledged', async () => {
  await untilCompactions('killed', 1);
  await ask('killed', 'pin', { text: 'Never touch the production database.' });
  const before = await ask('killed', 'state');
  await workers.killAndRestart();
  const after = await ask('killed', 'state');
  seen({ store: 'durableObject', place: 'workerd', promise: 'browser_kill', kept: Number(after.revision >= before.revision), of: 1 });
  assert.deepEqual([after.found, after.revision, after.history, after.parts, after.guards], ['existing', before.revision, before.history, before.parts, before.guards]);
});
