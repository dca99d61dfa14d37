// A quota that is really used up, in both backends of Chromium: no other engine lets a test set one.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ALMOST_DUE, bareSite, countWrites, openBare } from './support/bare.mjs';
import { Running, storageEngines } from './support/browsers.mjs';
import { bentClock } from './support/clock.mjs';
import { seen } from './support/promises.mjs';

const QUOTA_BYTES = 5_242_880;
/** Pauses before a store that failed is tried again, doubled up to a minute. */
const PAUSES_MS = [15_000, 30_000, 60_000, 60_000];

for (const engine of storageEngines.filter(({ browser }) => browser === 'chrome')) {
  describe(`a quota of ${QUOTA_BYTES} bytes in ${engine.name}`, () => {
    let site;
    let running;
    let page;

    // The engine asks for the quota before the first write of an origin and remembers what is left.
    before(async () => {
      site = await bareSite();
      running = await Running.start(engine);
      page = await openBare(running.browser, site, bentClock, countWrites);
      const devtools = await page.createCDPSession();
      await devtools.send('Storage.overrideQuotaForOrigin', { origin: new URL(site.url).origin, quotaSize: QUOTA_BYTES });
    });
    after(async () => {
      await running?.end();
      site?.close();
    });

    // The fault: a history that outgrew the quota was saved again and again, each time refused, and the counters with it.
    // What it cost: a lost history, and a write error in the way of each message.
    // What now holds: the chat goes on, the old state stands, the host is told once, tries are spaced, and room brings everything back.
    test('fault 01 sd 14 filled by other data of the origin: told, nothing half, tried again in growing pauses, written when there is room', async () => {
      const before = await page.evaluate(playAndLook, ALMOST_DUE, 16);
      assert.equal(before.durability, 'durable');
      await page.evaluate(fill);

      const full = await page.evaluate(playAndLook, ALMOST_DUE, 17);
      assert.equal(full.turns, 17, 'the turn was answered');
      assert.equal(full.compacted, true, 'and compacted, in memory');
      assert.deepEqual(full.rows, before.rows, 'the old state stands, byte for byte');
      assert.deepEqual(full.told, ['degraded'], 'the host is told, once');
      assert.equal(full.transactions, 1, 'one try');

      let at = 0;
      for (const pause of PAUSES_MS) {
        at += pause;
        const [early, due] = await page.evaluate(turnsAt, [at - 1_000, at + 500]);
        at += 500;
        assert.equal(early, 0, `no try a second before the pause of ${pause} ms is over`);
        assert.ok(due === 1 || due === 2, `one try after it, and one of the counters alone: ${due}`);
      }
      assert.deepEqual((await page.evaluate(playAndLook, ALMOST_DUE, 17)).rows, before.rows);

      await page.evaluate(makeRoom);
      const small = await page.evaluate(async () => {
        const session = window.governor.openSession({ id: 'small', store: window.governor.indexedDb(), contextWindow: 32_768 });
        await session.pin({ text: 'Short.' });
        return (await window.raw.rows('small')).map(({ revision }) => revision);
      });
      assert.deepEqual(small, [1, 1], 'the next small commit succeeds: root and pins');
      const [tries] = await page.evaluate(turnsAt, [at + 61_000]);
      assert.ok(tries >= 1);
      const after = await page.evaluate(playAndLook, ALMOST_DUE, 17);
      seen({ store: 'indexedDb', place: engine.name, promise: 'quota', kept: Number(after.durability === 'durable'), of: 1 });
      assert.deepEqual([after.told[0], after.told.at(-1)], ['degraded', 'durable']);
      assert.deepEqual(after.parts, [...Array.from({ length: after.history }, (_, at) => String(at + 1)), 'root'], 'summaries and counters');
      assert.equal(after.record.compactions, after.history, 'each pass counted once');
      assert.deepEqual(page.mishaps, []);
    });
  });
}

/** In the page: turns up to `turns`, then what is stored and what the host saw. */
async function playAndLook(kept, turns) {
  window.chat ??= new window.Chat('quota', window.governor.indexedDb(), kept);
  const { chat } = window;
  const wrote = window.writes;
  const passes = chat.summaries;
  await chat.play(turns);
  const transactions = window.writes - wrote;
  const rows = await window.raw.rows('quota');
  const { bytes } = rows.find(({ part }) => part === 'root');
  return {
    rows,
    parts: rows.map(({ part }) => part).sort(),
    record: window.governor.decodeRecord(Uint8Array.from(bytes), 'quota'),
    history: chat.session.history().length,
    turns: chat.kept.turns,
    compacted: chat.summaries > passes,
    transactions,
    told: chat.events.filter(({ type }) => type === 'storage').map(({ durability }) => durability),
    durability: chat.session.getSnapshot().durability,
  };
}

/** In the page: other data of the origin takes what room there is, down to the last 100 bytes. */
async function fill() {
  const request = indexedDB.open('other data', 1);
  request.onupgradeneeded = () => request.result.createObjectStore('blobs', { autoIncrement: true });
  window.other = await window.raw.opened(request);
  const put = (bytes) =>
    new Promise((resolve) => {
      const transaction = window.other.transaction('blobs', 'readwrite');
      transaction.objectStore('blobs').put(bytes);
      transaction.oncomplete = () => resolve(true);
      transaction.onabort = () => resolve(false);
    });
  for (const size of [3_900_000, 1_000_000, 100_000, 10_000, 1_000, 100]) {
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    while (await put(bytes));
  }
}

function makeRoom() {
  return new Promise((resolve, reject) => {
    const transaction = window.other.transaction('blobs', 'readwrite');
    transaction.objectStore('blobs').clear();
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
}

/** In the page: a turn at each of these times after the first failure; the read-write transactions each of them began. */
async function turnsAt(times) {
  window.failedAt ??= Date.now() - window.ahead;
  const begun = [];
  for (const time of times) {
    window.ahead = time - (Date.now() - window.ahead - window.failedAt);
    const wrote = window.writes;
    await window.chat.ask();
    await window.chat.report();
    begun.push(window.writes - wrote);
  }
  return begun;
}
