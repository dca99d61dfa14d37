// What an engine loses or rolls back in silence is said when the session is opened, and never where nothing was lost.
import assert from 'node:assert/strict';
import { cp, readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { engines, openTab, Running } from './support/browsers.mjs';
import { seen } from './support/promises.mjs';
import { here, serve } from './support/site.mjs';

const [chromium, firefox] = engines;
const sqlite = { ...chromium, name: 'Chromium (SQLite)', args: [...chromium.args, '--enable-features=IdbSqliteBackingStore'] };

/** One pass and its verdict: three commits at least. */
const TURNS = 16;

for (const engine of [chromium, sqlite, firefox]) {
  describe(`a session whose storage fails in ${engine.name}`, () => {
    let site;
    let running;

    before(async () => {
      site = await serve({ '/package/': here('pkg/dist'), '/support/': here('tests/e2e/support'), '/': here('tests/e2e/support') });
      running = await Running.start(engine);
    });
    after(async () => {
      await running?.end();
      site?.close();
    });

    /** Asked first: everything below loses on purpose. */
    test('is found as it was after restarts, every other one a kill', async () => {
      let page = await open(running, site);
      // Chromium's SQLite backend was seen to lose a whole new database at the first stop, in order or not, and never again.
      await play(page, 'first');
      await reopenInOrder(running);
      page = await open(running, site);
      const kept = await play(page, 'calm');
      let calm = 0;
      const restarts = engine === chromium ? 20 : 6;
      for (let restart = 0; restart < restarts; restart += 1) {
        if (restart % 2 === 0) await reopenInOrder(running);
        else await running.restart();
        page = await open(running, site);
        const { found, losses } = await find(page, 'calm', kept);
        calm += found === 'existing' && losses.length === 0 ? 1 : 0;
      }
      seen({ store: 'indexedDb', place: engine.name, promise: 'browser_kill', kept: calm, of: restarts });
      assert.equal(calm, restarts, 'no false alarm');
    });

    test('is new after it was removed and the browser was killed at once', async () => {
      const page = await open(running, site);
      await play(page, 'removed');
      await settle(page, 500);
      await page.evaluate(async () => {
        await window.chat.session.close();
        await window.chat.session.advanced.remove();
      });
      await running.restart();
      const { found, losses } = await find(await open(running, site), 'removed');
      assert.deepEqual({ found, losses }, { found: 'new', losses: [] });
    });

    test('says that it was lost when another page deleted the database', async () => {
      const page = await open(running, site);
      const kept = await play(page, 'deleted');
      const other = await open(running, site);
      await other.evaluate(() => new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase('compaction-governor');
        request.onsuccess = () => resolve();
        request.onerror = () => reject(request.error);
      }));
      const live = await page.evaluate(async () => {
        await window.chat.play(window.chat.kept.turns + 4);
        return window.chat.events.filter(({ type }) => type === 'loss');
      });
      assert.deepEqual(live.map(({ found }) => found), ['lost'], 'to the page that goes on');
      const { found, losses } = await find(other, 'calm', kept);
      seen({ store: 'indexedDb', place: engine.name, promise: 'lost_noticed', kept: Number(found === 'lost'), of: 1 });
      assert.equal(found, 'lost', 'and to the one that opens another chat');
      assert.deepEqual(losses, [{ type: 'loss', found: 'lost' }]);
      await page.close();
      await other.close();
    });

    if (engine.browser === 'chrome') {
      test('says that it was lost when the browser cleared it under a live page', async () => {
        const page = await open(running, site);
        await play(page, 'cleared');
        const client = await page.createCDPSession();
        await client.send('Storage.clearDataForOrigin', { origin: new URL(site.url).origin, storageTypes: 'indexeddb' });
        const live = await page.evaluate(async () => {
          await window.chat.play(window.chat.kept.turns + 4);
          return window.chat.events.filter(({ type }) => type === 'loss');
        });
        seen({ store: 'indexedDb', place: engine.name, promise: 'lost_noticed', kept: Number(live.length === 1), of: 1 });
        assert.deepEqual(live, [{ type: 'loss', found: 'lost' }]);
        await page.close();
      });
    }

    test('asks once to keep the storage, after the first summary, waits for no answer and shows what it is', async () => {
      const page = await open(running, site, () => {
        window.asked = 0;
        navigator.storage.persisted = async () => false;
        navigator.storage.persist = () => {
          window.asked += 1;
          return new Promise((resolve) => { window.answer = resolve; });
        };
      });
      const [before, after, pending, answered, second] = await page.evaluate(async (turns) => {
        const chat = new window.Chat(`kept ${Date.now()}`, window.governor.indexedDb());
        await chat.play(turns - 1);
        const before = window.asked;
        await chat.play(turns + 4);
        const after = window.asked;
        const pending = chat.session.getSnapshot().persisted;
        window.answer(true);
        await new Promise((resolve) => setTimeout(resolve, 50));
        const other = new window.Chat(`kept too ${Date.now()}`, window.governor.indexedDb());
        await other.play(turns);
        return [before, after, pending, chat.session.getSnapshot().persisted, window.asked];
      }, TURNS);
      assert.deepEqual({ before, after, pending, answered, second }, { before: 0, after: 1, pending: false, answered: true, second: 1 });
      const report = await page.evaluate(() => window.governor.openSession({ id: 'kept', store: window.governor.indexedDb() }).advanced.storage());
      assert.ok(report.usage > 0 && report.quota > report.usage, JSON.stringify(report));
      await page.close();
    });

    test('says so after a start at which older files of the database are there again', async () => {
      let page = await open(running, site);
      const before = await play(page, 'aged');
      await settle(page, 500);
      await running.stop();
      const older = await copyOf(running.profile);
      await running.launch();
      page = await open(running, site);
      const kept = await page.evaluate(async (kept) => {
        window.chat = new window.Chat('aged', window.governor.indexedDb({ persist: false }), kept);
        await window.chat.session.pin({ text: 'Never on Fridays.' });
        return window.chat.play(kept.turns + 1);
      }, before);
      await settle(page, 500);
      await running.stop();
      await older.putBack();
      await running.launch();
      page = await open(running, site);
      const { found, losses } = await find(page, 'aged', kept);
      seen({ store: 'indexedDb', place: engine.name, promise: 'rollback_noticed', kept: Number(found === 'rolled_back'), of: 1 });
      assert.deepEqual({ found, losses: losses.map(({ found }) => found) }, { found: 'rolled_back', losses: ['rolled_back'] });
      assert.equal((await find(await open(running, site), 'aged', kept)).found, 'existing', 'said once');
    });

    const surgeries = [['the folder of the database is deleted', removeFolder]];
    // Of Chromium's SQLite backend: storage-damage, fault 12.
    if (engine.name === 'Chromium') surgeries.push(['its files are cut in half', halveFiles]);
    for (const [what, surgery] of surgeries) {
      test(`says so after a start at which ${what}`, async () => {
        let page = await open(running, site);
        const kept = await play(page, `cut ${surgery.name}`);
        await settle(page, 500);
        await running.stop();
        const touched = await surgery(running.profile);
        assert.ok(touched > 0, 'there was something to spoil');
        await running.launch();
        page = await open(running, site);
        const { found, losses } = await find(page, `cut ${surgery.name}`, kept);
        const promise = found === 'rolled_back' ? 'rollback_noticed' : 'lost_noticed';
        const noticed = ['lost', 'rolled_back', 'quarantined'].includes(found);
        seen({ store: 'indexedDb', place: engine.name, promise, kept: Number(noticed), of: 1 });
        assert.ok(noticed, `found ${found}`);
        assert.equal(losses[0]?.found, found);
        const again = await find(await open(running, site), `cut ${surgery.name}`, kept);
        assert.equal(again.found, 'existing', 'said once');
      });
    }
  });
}

async function open(running, site, install) {
  const page = await openTab(running.browser, async (tab) => install && tab.evaluateOnNewDocument(install));
  await page.goto(`${site.url}bare.html`);
  await page.waitForFunction(() => window.Chat, { polling: 50 });
  return page;
}

async function play(page, id) {
  return page.evaluate(async (id, turns) => {
    window.chat = new window.Chat(id, window.governor.indexedDb({ persist: false }));
    return window.chat.play(turns);
  }, id, TURNS);
}

/** How the session was found, by a page that has just opened it. */
async function find(page, id, kept) {
  return page.evaluate(async (id, kept) => {
    window.chat = new window.Chat(id, window.governor.indexedDb({ persist: false }), kept);
    const { found } = await window.chat.session.ready;
    return { found, losses: window.chat.events.filter(({ type }) => type === 'loss') };
  }, id, kept);
}

/** The browser gets time to write what it acknowledged: what is lost here is to be lost by the test alone. */
async function settle(page, ms) {
  await page.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), ms);
}

async function reopenInOrder(running) {
  await running.stop();
  await running.launch();
}

/** The files as they are now, to be put back in the place of later ones. */
async function copyOf(profile) {
  const folders = await foldersOf(profile);
  for (const folder of folders) await cp(folder, `${folder}.older`, { recursive: true });
  return {
    async putBack() {
      for (const folder of folders) {
        await rm(folder, { recursive: true });
        await rename(`${folder}.older`, folder);
      }
    },
  };
}

async function removeFolder(profile) {
  const folders = await foldersOf(profile);
  for (const folder of folders) await rm(folder, { recursive: true });
  return folders.length;
}

async function halveFiles(profile) {
  let halved = 0;
  for (const folder of await foldersOf(profile)) {
    for (const name of await readdir(folder, { recursive: true })) {
      const path = join(folder, name);
      const { size } = await stat(path);
      if (!/\.log$|^\d+$|\.sqlite$|-wal$|\.db$/.test(name) || size < 1_000) continue;
      await truncate(path, Math.floor(size / 2));
      halved += 1;
    }
  }
  return halved;
}

/** Where both engines keep the databases of the test's origin. */
async function foldersOf(profile) {
  const places = [join(profile, 'Default', 'IndexedDB'), join(profile, 'storage', 'default')];
  const found = [];
  for (const place of places) {
    for (const name of await readdir(place).catch(() => [])) {
      if (!name.includes('127.0.0.1')) continue;
      found.push(place.endsWith('default') ? join(place, name, 'idb') : join(place, name));
    }
  }
  return found;
}
