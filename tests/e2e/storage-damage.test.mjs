// What is stored was damaged, taken away, or belongs to a later release: it is said so, set aside or left alone, and the chat goes on.
import assert from 'node:assert/strict';
import { readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { bareBrowser } from './support/bare-browser.mjs';
import { ALMOST_DUE, bareSite, openBare } from './support/bare.mjs';
import { Running, storageEngines } from './support/browsers.mjs';
import { shortDeadlines } from './support/clock.mjs';
import { forLaterReaders } from './support/frame.mjs';
import { seen } from './support/promises.mjs';
import { numbers, seed } from './support/random.mjs';

const FLIPS = 16;

for (const engine of storageEngines) {
  describe(`what is stored in ${engine.name} is damaged`, () => {
    const bare = bareBrowser(engine);

    const chosen = seed();
    test(`fault 13 a flipped bit in a root record is noticed, the record set aside, and the guard tripped (seed ${chosen})`, async () => {
      const below = numbers(chosen);
      const page = await openBare(bare.context, bare.site);
      const { stored } = await play(page, 'flips', 17);
      let noticed = 0;
      for (let n = 0; n < FLIPS; n += 1) {
        const id = `flip-${n}`;
        const bit = below(stored.root.length * 8);
        const found = await page.evaluate(openDamaged, id, stored, bit);
        noticed += found.found === 'quarantined' ? 1 : 0;
        assert.equal(found.found, 'quarantined', `bit ${bit}`);
        assert.equal(found.quarantined, 1, `bit ${bit}: its bytes are kept`);
        assert.equal(found.record.tripped, true, `bit ${bit}: no strike is forgotten`);
        assert.ok(found.record.recoveryAt > Date.now(), `bit ${bit}: and there is a way out`);
        assert.equal(found.turns, 17, `bit ${bit}: the next turn was answered`);
      }
      seen({ store: 'indexedDb', place: engine.name, promise: 'corrupt_noticed', kept: noticed, of: FLIPS });
      assert.deepEqual(page.mishaps, []);
    });

    test(`fault 13 a flipped bit in a summary never shows a wrong one (seed ${chosen})`, async () => {
      const below = numbers(chosen);
      const page = await openBare(bare.context, bare.site);
      const { stored } = await play(page, 'summaries', 16);
      for (let n = 0; n < FLIPS; n += 1) {
        const bit = below(stored[1].length * 8);
        const { summaries, turns, record } = await page.evaluate(openWithSummary, `summary-${n}`, stored, bit);
        assert.deepEqual(summaries.filter((text) => text !== '' && !text.startsWith('The plan stands.')), [], `bit ${bit}`);
        assert.equal(turns, 16, `bit ${bit}: the next turn was answered`);
        assert.equal(record.ineffectiveStreak, 1, `bit ${bit}: the guard does not hang on it`);
      }
      assert.deepEqual(page.mishaps, []);
    });

    test(`a damaged record in localStorage is noticed, set aside, and the guard tripped (seed ${chosen})`, async () => {
      const below = numbers(chosen);
      const page = await openBare(bare.context, bare.site);
      await page.evaluate((kept) => new window.Chat('local', window.governor.localStorageStore(), kept).play(17), structuredClone(ALMOST_DUE));
      let noticed = 0;
      for (let n = 0; n < FLIPS; n += 1) {
        const at = below(1_000_000);
        const found = await page.evaluate(openDamagedItem, `damaged-${n}`, at);
        noticed += Number(found.found === 'quarantined' && found.aside > 0);
        assert.deepEqual({ ...found, aside: found.aside > 0 }, { found: 'quarantined', aside: true, tripped: true, turns: 17 }, `character ${at}`);
      }
      seen({ store: 'localStorageStore', place: engine.name, promise: 'corrupt_noticed', kept: noticed, of: FLIPS });
      assert.deepEqual(page.mishaps, []);
    });

    test('fault 11 a record of a later release is read by nobody and written by nobody', async () => {
      const page = await openBare(bare.context, bare.site);
      const { stored } = await play(page, 'later', 16);
      await page.close();
      const frame = [...forLaterReaders(stored.root, 2)];
      const other = await openBare(bare.context, bare.site);
      await other.evaluate((frame) => window.raw.rewrite('later', 'root', () => Uint8Array.from(frame)), frame);
      const before = await other.evaluate(() => window.raw.rows('later'));
      const opened = await play(other, 'later', 18);
      assert.equal(opened.found, 'read_only');
      assert.equal(opened.durability, 'degraded');
      assert.equal(opened.turns, 18);
      assert.deepEqual(await other.evaluate(() => window.raw.rows('later')), before, 'untouched');
      assert.deepEqual(other.mishaps, []);
    });

    test('fault 11 a database of a later release is left as it is, and the reason is superseded', async () => {
      const page = await openBare(bare.context, bare.site);
      await page.evaluate(async () => {
        const request = indexedDB.open('compaction-governor', 2);
        request.onupgradeneeded = () => request.result.createObjectStore('theirs').put('kept', 'key');
        (await window.raw.opened(request)).close();
      });
      const opened = await play(page, 'newer', 17);
      assert.equal(opened.durability, 'degraded');
      assert.equal(opened.turns, 17);
      assert.equal(opened.error, 'superseded');
      const left = await page.evaluate(async () => {
        const db = await window.raw.opened(indexedDB.open('compaction-governor'));
        const left = { version: db.version, stores: [...db.objectStoreNames] };
        db.close();
        return left;
      });
      assert.deepEqual(left, { version: 2, stores: ['theirs'] });
      assert.deepEqual(page.mishaps, []);
    });

    test('fault 10 an upgrade that a deaf page blocks holds up nobody beyond the deadline', async () => {
      const [deaf, upgrading, page] = [await openBare(bare.context, bare.site), await openBare(bare.context, bare.site), await openBare(bare.context, bare.site, shortDeadlines)];
      await play(deaf, 'blocked', 16);
      await deaf.evaluate(async () => {
        window.held = await window.raw.opened(indexedDB.open('compaction-governor'));
      });
      await upgrading.evaluate(
        () =>
          new Promise((resolve) => {
            const request = indexedDB.open('compaction-governor', 2);
            request.onblocked = resolve;
            request.onsuccess = () => request.result.close();
          }),
      );
      const opened = await play(page, 'blocked', 17);
      assert.equal(opened.turns, 17);
      assert.equal(opened.durability, 'degraded');
      assert.ok(['blocked', 'timeout'].includes(opened.error), opened.error);
      await deaf.evaluate(() => window.held.close());
      await page.waitForFunction(async () => (await window.chat.session.advanced.records().catch(({ code }) => code)) === 'superseded', { polling: 100, timeout: 5_000 });
      assert.deepEqual(page.mishaps, []);
    });

    const wipes = { 'deleted by another page': (tab) => tab.evaluate(deleteDatabase) };
    if (engine.browser === 'chrome') {
      wipes['cleared with the site data'] = async (tab) => {
        const devtools = await tab.createCDPSession();
        await devtools.send('Storage.clearDataForOrigin', { origin: new URL(tab.url()).origin, storageTypes: 'indexeddb' });
      };
    }
    for (const [how, wipe] of Object.entries(wipes)) {
      test(`fault 08 a database that is ${how} under an open session is said, and written again from memory, whole`, async () => {
        const page = await openBare(bare.context, bare.site);
        await play(page, 'wiped', 16);
        await wipe(await openBare(bare.context, bare.site));
        const after = await play(page, 'wiped', 17);
        assert.equal(after.turns, 17);
        assert.equal(after.record.ineffectiveStreak, 2, 'both strikes');
        assert.equal(after.record.tripped, true);
        assert.deepEqual(after.parts, ['1', '2', 'root']);
        assert.deepEqual(await page.evaluate(() => window.chat.events.filter(({ type }) => type === 'loss').map(({ found }) => found)), ['lost']);
        assert.deepEqual(page.mishaps, []);
      });
    }
  });

  test(`fault 12 files of ${engine.name} that were cut in half: never an error, never a part of a state`, async (t) => {
    const site = await bareSite();
    const running = await Running.start(engine);
    try {
      let page = await openBare(running.browser, site);
      for (let n = 0; n < 6; n += 1) await play(page, `cut-${n}`, 17);
      await running.kill();
      const cut = await cutInHalf(running.profile);
      assert.ok(cut.length > 0, 'there are files of IndexedDB');
      await running.launch();
      page = await openBare(running.browser, site);
      const found = {};
      for (let n = 0; n < 6; n += 1) {
        await page.evaluate(() => (window.chat = undefined));
        const opened = await play(page, `cut-${n}`, 18, { ...ALMOST_DUE, turns: 17, outside: 28_000, files: [] });
        found[opened.found] = (found[opened.found] ?? 0) + 1;
        assert.equal(opened.turns, 18);
        if (opened.found !== 'existing') continue;
        assert.ok(opened.first.compactions >= opened.first.ineffectiveStreak, 'a state that was once');
        assert.equal(opened.summaries.filter((text) => text.startsWith('The plan stands.')).length, opened.first.generations, 'with all its summaries');
      }
      t.diagnostic(`${cut.join(', ')}: found ${JSON.stringify(found)}`);
      assert.deepEqual(page.mishaps, []);
    } finally {
      await running.end();
      site.close();
    }
  });
}

/** Cuts the largest file that holds databases of this profile, and what belongs to it, to half its length. */
async function cutInHalf(profile) {
  const names = await readdir(profile, { recursive: true });
  const holding = names.filter((name) => /indexeddb\.leveldb\/.*\.log$|IndexedDB\/[^/]*\/[^/]{30,}$|\/idb\/.*\.sqlite(-wal)?$/i.test(name) && name.includes('127.0.0.1'));
  const cut = [];
  for (const name of holding) {
    const path = join(profile, name);
    const { size } = await stat(path);
    if (size < 2) continue;
    await truncate(path, Math.floor(size / 2));
    cut.push(`${name.split('/').pop()} of ${size} bytes`);
  }
  return cut;
}

/** Plays up to `turns` turns of the session `id`, and says how it was found and what is stored then. */
async function play(page, id, turns, kept = ALMOST_DUE) {
  return page.evaluate(
    async (id, kept, turns) => {
      if (window.chat?.session.id !== id) window.chat = new window.Chat(id, window.governor.indexedDb(), structuredClone(kept));
      const { chat } = window;
      const { found } = await chat.session.ready;
      const first = await chat.record().catch(() => undefined);
      const summaries = chat.session.history().map(({ summary }) => summary);
      await chat.play(turns);
      const records = await chat.session.advanced.records().catch(({ code }) => code);
      const error = typeof records === 'string' ? records : undefined;
      const stored = error ? {} : Object.fromEntries(records.map(({ part, bytes }) => [part, [...bytes]]));
      const record = stored.root && window.governor.decodeRecord(Uint8Array.from(stored.root), id);
      return { found, first, summaries, turns: chat.kept.turns, durability: chat.session.getSnapshot().durability, error, stored, parts: Object.keys(stored).sort(), record };
    },
    id,
    structuredClone(kept),
    turns,
  );
}

/** In the page: a session whose root record has one bit flipped is opened, and goes on for a turn. */
async function openDamaged(id, stored, bit) {
  const bytes = Uint8Array.from(stored.root);
  bytes[bit >> 3] ^= 1 << (bit & 7);
  await window.raw.within('readwrite', ['records'], ({ records }) => {
    records.put({ revision: 6, op: '00000000000000aa', bytes }, [id, 'root']);
  });
  const chat = new window.Chat(id, window.governor.indexedDb(), { turns: 16, outside: 4_000, files: [] });
  const { found } = await chat.session.ready;
  await chat.play(17);
  return { found, record: await chat.record(), quarantined: await window.raw.quarantined(id), turns: chat.kept.turns };
}

/** In the page: a session of this name, so that the checksum is right, with one bit of its first summary flipped. */
async function openWithSummary(id, stored, bit) {
  const first = new window.Chat(id, window.governor.indexedDb(), { turns: 14, outside: 4_000, files: [16_000] });
  await first.play(16);
  await first.session.close();
  await window.raw.rewrite(id, 1, (bytes) => {
    const damaged = Uint8Array.from(bytes);
    damaged[(bit >> 3) % damaged.length] ^= 1 << (bit & 7);
    return damaged;
  });
  const chat = new window.Chat(id, window.governor.indexedDb(), { turns: 15, outside: 4_000, files: [] });
  await chat.session.ready;
  const summaries = chat.session.history().map(({ summary }) => summary);
  const record = await chat.record();
  await chat.play(16);
  return { summaries, record, turns: chat.kept.turns };
}

function deleteDatabase() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase('compaction-governor');
    request.onsuccess = resolve;
    request.onerror = () => reject(request.error);
  });
}

/** In the page: both slots of `local` under another prefix, each with another character at one place; how it is found there. */
async function openDamagedItem(prefix, at) {
  for (const slot of ['a', 'b']) {
    const item = localStorage.getItem(`compaction-governor/${slot}/local`);
    if (item === null) continue;
    const place = at % item.length;
    const other = String.fromCharCode(item.charCodeAt(place) ^ 1);
    localStorage.setItem(`${prefix}/${slot}/local`, item.slice(0, place) + other + item.slice(place + 1));
  }
  const chat = new window.Chat('local', window.governor.localStorageStore({ prefix }), { turns: 16, outside: 20_000, files: [8_000] });
  const { found } = await chat.session.ready;
  const { turns } = await chat.play(17);
  const { tripped } = await chat.record();
  return { found, aside: localStorage.getItem(`${prefix}/q/local`)?.length ?? 0, tripped, turns };
}
