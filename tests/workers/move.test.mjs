// A conversation begins in a page, goes on in an object, and comes back: one record format in both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bareSite, openBare } from '../e2e/support/bare.mjs';
import { engines, Running } from '../e2e/support/browsers.mjs';
import { Model } from './support/model.mjs';
import { startWorkers } from './support/workers.mjs';

const model = new Model();
const entry = fileURLToPath(new URL('lab/lab.mjs', import.meta.url));
const workers = await startWorkers(entry, { objects: { LAB: 'Lab' }, serviceBindings: { MODEL: model.handle } });
const messages = Array.from({ length: 39 }, (_, n) => ({ id: `m${n + 1}`, role: n % 2 ? 'assistant' : 'user', content: `${n} ${'lorem ipsum '.repeat(58)}` }));

for (const engine of engines) {
  describe(`between ${engine.name} and an object`, () => {
    const id = `moved from ${engine.name}`;
    let site;
    let running;
    let page;

    before(async () => {
      site = await bareSite();
      running = await Running.start(engine);
      page = await openBare(running.browser, site);
    });
    after(async () => {
      await running?.end();
      site?.close();
    });

    test('a conversation goes into an object and comes back with its guards, pins and summaries', async () => {
      const inPage = await page.evaluate(talk, id, messages);
      assert.deepEqual([inPage.history.length, inPage.guards.cooldownClass], [1, 'other']);
      await workers.ask(id, 'bring', { messages });
      await workers.ask(id, 'import', { bytes: inPage.archive });
      await workers.ask(id, 'abort').catch(() => undefined);
      const inObject = await workers.ask(id, 'state');
      assert.deepEqual([inObject.found, inObject.history, inObject.guards], ['existing', inPage.history, inPage.guards]);
      assert.deepEqual(await workers.ask(id, 'records'), inPage.records, 'byte for byte');
      assert.deepEqual(await workers.ask(id, 'view'), inPage.view, 'the model is sent the same');

      await workers.ask(id, 'pin', { text: 'The tests run in workerd now.' });
      await workers.ask(id, 'say', { text: 'going on in the object' });
      const later = await workers.ask(id, 'state');
      const back = await page.evaluate(comeBack, id, await workers.ask(id, 'export'));
      assert.deepEqual([back.found, back.history, back.guards], ['existing', later.history, later.guards]);
      assert.deepEqual(back.records, await workers.ask(id, 'records'));
      assert.deepEqual(page.mishaps, []);
    });

    test('bytes that were damaged on the way are refused, and the object keeps what it has', async () => {
      const archive = await workers.ask(id, 'export');
      const before = await workers.ask(id, 'records');
      await assert.rejects(workers.ask(`${id} again`, 'import', { bytes: archive.map((byte, n) => (n === archive.length - 3 ? byte ^ 1 : byte)) }), ({ code }) => code === 'damaged_archive');
      await assert.rejects(workers.ask(id, 'import', { bytes: archive }), ({ code, applied }) => code === 'session_exists' && applied === 'no');
      assert.deepEqual(await workers.ask(id, 'records'), before);
    });
  });
}

/** In the page: one summary, a pin, and a summariser that failed behind it. */
async function talk(id, messages) {
  const { decodeRecord, indexedDb, openSession, sessions } = window.governor;
  const store = indexedDb();
  const open = (summarize) => openSession({ id, store, contextWindow: 4_096, countTokens: (text) => Math.ceil(text.length / 3.5), summarize });
  const session = open(async () => 'The user tests with numbered messages. All were answered. Next: go on.');
  await session.prepare(messages.slice(0, 19));
  await session.pin({ text: 'Never touch the production database.' });
  const failing = open(async () => Promise.reject(new Error('down')));
  await failing.prepare(messages);
  const records = await session.advanced.records();
  const archive = await sessions(store).export(id);
  return { archive: [...archive], history: session.history(), guards: decodeRecord(records[0].bytes, id), records: records.map(({ part, bytes }) => [part, [...bytes]]), view: session.advanced.view(messages).messages };
}

/** In the page: what was here is removed, and what comes back takes its place. */
async function comeBack(id, archive) {
  const { decodeRecord, indexedDb, openSession, sessions } = window.governor;
  const store = indexedDb();
  await sessions(store).remove(id);
  await sessions(store).import(Uint8Array.from(archive));
  const session = openSession({ id, store, contextWindow: 4_096 });
  const { found } = await session.ready;
  const records = await session.advanced.records();
  return { found, history: session.history(), guards: decodeRecord(records[0].bytes, id), records: records.map(({ part, bytes }) => [part, [...bytes]]) };
}
