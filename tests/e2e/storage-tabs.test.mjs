// Several tabs on one session: many writers, a tab that dies in the midst of a commit, a page that comes back from the cache.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bareBrowser } from './support/bare-browser.mjs';
import { ALMOST_DUE, loaded, openBare } from './support/bare.mjs';
import { storageEngines } from './support/browsers.mjs';
import { seen } from './support/promises.mjs';

const TABS = 4;
const EVENTS = 200;

for (const engine of storageEngines) {
  describe(`tabs in ${engine.name}`, () => {
    const bare = bareBrowser(engine);

    test(`${TABS} tabs write ${EVENTS} events each from one start, and all are counted`, async () => {
      const pages = await Promise.all(Array.from({ length: TABS }, () => openBare(bare.context, bare.site)));
      await Promise.all(pages.map((page, tab) => page.evaluate(readyToPin, tab)));
      const start = Date.now() + 300;
      const acknowledged = await Promise.all(pages.map((page) => page.evaluate((start, events) => window.pinAndUnpin(start, events), start, EVENTS)));
      const { revision, pins } = await pages[0].evaluate(async () => {
        const rows = await window.raw.rows('pins');
        const [pins, root] = ['0', 'root'].map((part) => rows.find((row) => row.part === part));
        return { revision: root.revision, pins: new TextDecoder().decode(Uint8Array.from(pins.bytes)) };
      });
      assert.deepEqual(acknowledged.map(({ durability }) => durability), Array(TABS).fill('durable'));
      seen({ store: 'indexedDb', place: engine.name, promise: 'second_tab', kept: Math.min(revision, TABS * EVENTS), of: TABS * EVENTS });
      assert.equal(revision, TABS * EVENTS, 'one revision for each event: no write went over another');
      const kept = acknowledged.flatMap(({ kept }) => kept);
      assert.deepEqual(kept.filter((text) => !pins.includes(text)), [], 'what each tab pinned last is there');
    });

    test('localStorage says before the first event that it cannot count for several tabs', async () => {
      const page = await openBare(bare.context, bare.site);
      const { durability, stored } = await page.evaluate(async () => {
        const session = window.governor.openSession({ id: 'alone', store: window.governor.localStorageStore() });
        return { ...(await session.ready), stored: localStorage.length };
      });
      assert.equal(durability, 'reload_only');
      assert.equal(stored, 0, 'nothing was written to find out');
    });

    const ends = { 'fault 04 a tab that is closed': (page) => page.close() };
    if (engine.browser === 'chrome') {
      ends['fault 03 a tab whose renderer crashes'] = async (page) => {
        const devtools = await page.createCDPSession();
        devtools.send('Page.crash').catch(() => {});
      };
    }
    for (const [fault, end] of Object.entries(ends)) {
      test(`${fault} in the midst of a commit leaves the old state, and the others go on within a second`, async () => {
        const [dying, other] = [await openBare(bare.context, bare.site, holdCommits), await openBare(bare.context, bare.site)];
        for (const page of [dying, other]) await play(page, 15, ALMOST_DUE);
        await dying.evaluate(() => {
          window.hold = true;
          void window.chat.ask();
        });
        await dying.waitForFunction(() => window.held, { polling: 20 });
        const beside = await other.evaluate(() => window.chat.ask());
        assert.deepEqual([beside.compacted, beside.decision.reason], [false, 'in_progress'], 'the other one is at work, and nobody waits for it');
        const ended = Date.now();
        void end(dying);
        const { at, durability } = await other.evaluate(async () => {
          for (const last = Date.now() + 5_000; Date.now() < last && !(await window.chat.ask()).compacted; ) await new Promise((resolve) => setTimeout(resolve, 20));
          return { at: Date.now(), durability: window.chat.session.getSnapshot().durability };
        });
        const now = await rootOf(other);
        seen({ store: 'indexedDb', place: engine.name, promise: 'tab_crash', kept: Number(now?.revision === 2), of: 1 });
        assert.ok(at - ended < 1_000, `${at - ended} ms after the end of the tab`);
        assert.equal(durability, 'durable');
        assert.equal(now.revision, 2, 'intent and commit of the other tab, nothing of the one that died');
        assert.equal(now.record.compactions, 1);
      });
    }

    test('fault 19 with Web Locks absent two tabs at the threshold fork nothing', async () => {
      const pages = [await openBare(bare.context, bare.site, locksAbsent), await openBare(bare.context, bare.site, locksAbsent)];
      for (const page of pages) await play(page, 15, ALMOST_DUE);
      const asked = await Promise.all(pages.map((page) => page.evaluate(ask)));
      const { record, parts } = await rootOf(pages[0]);
      assert.equal(record.compactions, 1, 'one summary was committed');
      assert.deepEqual(parts, ['1', 'root']);
      assert.equal(asked.filter(({ compacted }) => compacted).length, 1);
      assert.ok(asked.reduce((sum, { summaries }) => sum + summaries, 0) <= 2);
      for (const page of pages) assert.deepEqual(page.mishaps, []);
    });

    for (const [how, install] of Object.entries({ throwing: locksThrow, refusing: locksRefuse })) {
      test(`fault 19 with Web Locks ${how} nothing starts by itself in either tab, and both say why`, async () => {
        const pages = [await openBare(bare.context, bare.site, install), await openBare(bare.context, bare.site, install)];
        for (const page of pages) await play(page, 15, ALMOST_DUE);
        const asked = await Promise.all(pages.map((page) => page.evaluate(ask)));
        assert.equal(await rootOf(pages[0]), undefined, 'nothing was written');
        assert.deepEqual(asked.map(({ compacted, summaries }) => [compacted, summaries]), [[false, 0], [false, 0]]);
        for (const page of pages) {
          assert.equal(await page.evaluate(() => window.chat.events.filter(({ type }) => type === 'lock_failed').length), 1);
          assert.deepEqual(page.mishaps, []);
        }
      });
    }

    test('fault 20 a page that comes back from the cache decides on what the store holds by then', async (t) => {
      const [page, other] = [await openBare(bare.context, bare.site), await openBare(bare.context, bare.site)];
      const kept = await play(page, 16, ALMOST_DUE);
      await page.evaluate(() => {
        window.chat.mark = 'the same page';
        window.addEventListener('pageshow', ({ persisted }) => (window.persisted = persisted));
      });
      await page.goto(`${bare.site.url}support/raw.mjs`);
      const tripped = await play(other, 17, kept);
      // Not `goBack`, which waits for a load that a page from the cache does not have.
      await page.evaluate(() => void history.back());
      await loaded(page);
      const restored = await page.evaluate(() => window.chat?.mark === 'the same page' && window.persisted === true);
      t.diagnostic(restored ? 'restored from the cache' : 'loaded anew: this engine keeps no page of ours here');
      const asked = await page.evaluate(askWith, tripped);
      assert.equal(asked.compacted, false);
      assert.equal(asked.reason, 'ineffective');
      assert.equal(asked.summaries, restored ? 1 : 0, 'none besides the one before');
    });
  });
}

async function play(page, turns, kept) {
  return page.evaluate(
    async (turns, kept) => {
      window.chat ??= new window.Chat('tabs', window.governor.indexedDb(), kept);
      window.chat.kept = kept;
      await window.chat.session.ready;
      return window.chat.play(turns);
    },
    turns,
    structuredClone(kept),
  );
}

async function ask() {
  const { chat } = window;
  const { compacted } = await chat.ask();
  return { compacted, reason: chat.session.explain().reason, summaries: chat.summaries };
}

async function askWith(kept) {
  window.chat ??= new window.Chat('tabs', window.governor.indexedDb(), kept);
  const { chat } = window;
  chat.kept = kept;
  const { compacted } = await chat.ask();
  return { compacted, reason: chat.session.explain().reason, summaries: chat.summaries };
}

async function rootOf(page) {
  return page.evaluate(async () => {
    const rows = await window.raw.rows('tabs');
    const root = rows.find(({ part }) => part === 'root');
    return root && { revision: root.revision, record: window.governor.decodeRecord(Uint8Array.from(root.bytes), 'tabs'), parts: rows.map(({ part }) => part).sort() };
  });
}

/** In the page: a pin and its end are two events. The last eight events are pins that stay. */
async function readyToPin(tab) {
  const session = window.governor.openSession({ id: 'pins', store: window.governor.indexedDb(), contextWindow: 32_768 });
  await session.ready;
  window.pinAndUnpin = async (start, events) => {
    await new Promise((resolve) => setTimeout(resolve, start - Date.now()));
    const staying = 8;
    for (let n = 0; n < (events - staying) / 2; n += 1) {
      const { id } = await session.pin({ text: `Note ${n} of tab ${tab}.` });
      await session.unpin(id);
    }
    const kept = Array.from({ length: staying }, (_, n) => `What stays: ${n} of tab ${tab}.`);
    for (const text of kept) await session.pin({ text });
    return { kept, durability: session.getSnapshot().durability };
  };
}

/** In the page, before its scripts: once `hold` is set, a commit that has written its root is kept open for ever. */
function holdCommits() {
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (value, key) {
    const request = put.call(this, value, key);
    if (!window.hold || key?.[1] !== 'root') return request;
    const spin = () => {
      window.held = true;
      this.get(key).addEventListener('success', spin);
    };
    request.addEventListener('success', spin);
    return request;
  };
}

function locksAbsent() {
  Object.defineProperty(navigator, 'locks', { value: undefined });
}

function locksThrow() {
  Object.defineProperty(navigator, 'locks', { get: () => { throw new DOMException('Locks are denied.', 'SecurityError'); } });
}

function locksRefuse() {
  LockManager.prototype.request = () => Promise.reject(new DOMException('Locks are denied.', 'SecurityError'));
}
