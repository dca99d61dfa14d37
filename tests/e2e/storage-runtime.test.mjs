// The page around the store: a worker, a clock that is wrong, an instance that trapped in the midst of a commit.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bareBrowser } from './support/bare-browser.mjs';
import { ALMOST_DUE, openBare, reloadBare } from './support/bare.mjs';
import { storageEngines } from './support/browsers.mjs';
import { bentClock } from './support/clock.mjs';
import { seen } from './support/promises.mjs';

const DAY = 86_400_000;
const HOUR = 3_600_000;

for (const engine of storageEngines) {
  describe(`around the store in ${engine.name}`, () => {
    const bare = bareBrowser(engine);

    test('fault 16 a worker has no localStorage: the guard works in memory, and the reason is unavailable', async () => {
      const page = await openBare(bare.context, bare.site);
      const told = await page.evaluate(inWorker, 'localStorage', ALMOST_DUE, 17);
      assert.equal(told.turns, 17);
      assert.equal(told.durability, 'degraded');
      assert.deepEqual(told.error, { code: 'unavailable', applied: 'no' });
      assert.equal(told.decision, 'blocked');
      assert.ok(told.summaries >= 1 && told.summaries <= 2, `${told.summaries} passes`);
      assert.deepEqual(page.mishaps, []);
    });

    test('a worker has IndexedDB, and shares it with its page', async () => {
      const page = await openBare(bare.context, bare.site);
      const told = await page.evaluate(inWorker, 'indexedDb', ALMOST_DUE, 17);
      assert.equal(told.durability, 'durable');
      const { found } = await page.evaluate(() => window.governor.openSession({ id: 'in a worker', store: window.governor.indexedDb() }).ready);
      assert.equal(found, 'existing');
    });

    test('the engine is asked for the durability that the host chose, with every commit', async () => {
      const page = await openBare(bare.context, bare.site, () => {
        window.hints = new Set();
        const { transaction } = IDBDatabase.prototype;
        IDBDatabase.prototype.transaction = function (stores, mode, options) {
          if (mode === 'readwrite') window.hints.add(options?.durability);
          return transaction.call(this, stores, mode, options);
        };
      });
      for (const [durability, hint] of [[undefined, 'relaxed'], ['relaxed', 'relaxed'], ['strict', 'strict']]) {
        const { hints, same } = await page.evaluate(async (durability, kept) => {
          window.hints.clear();
          const store = () => window.governor.indexedDb({ name: `kept ${durability}`, ...(durability && { durability }) });
          await new window.Chat('hinted', store(), kept).play(16);
          return { hints: [...window.hints], same: store() === store() };
        }, durability, structuredClone(ALMOST_DUE));
        assert.deepEqual({ hints, same }, { hints: [hint], same: true });
      }
      const refused = await page.evaluate(() => {
        try {
          window.governor.indexedDb({ durability: 'fast' });
        } catch ({ code }) {
          return code;
        }
      });
      assert.equal(refused, 'invalid_option');
    });

    test('a reload finds what was acknowledged', async () => {
      const page = await openBare(bare.context, bare.site);
      let kept = 0;
      for (let n = 0; n < 10; n += 1) {
        const { record } = await play(page, `reloaded-${n}`, 17);
        await reloadBare(page);
        const again = await page.evaluate(async (id) => {
          const session = window.governor.openSession({ id, store: window.governor.indexedDb(), contextWindow: 32_768 });
          const { found } = await session.ready;
          const root = (await session.advanced.records()).find(({ part }) => part === 'root');
          return { found, record: window.governor.decodeRecord(root.bytes, id) };
        }, `reloaded-${n}`);
        kept += again.found === 'existing' && again.record.tripped && again.record.ineffectiveStreak === record.ineffectiveStreak ? 1 : 0;
      }
      seen({ store: 'indexedDb', place: engine.name, promise: 'reload', kept, of: 10 });
      assert.equal(kept, 10);
    });

    test('localStorage keeps it over a reload', async () => {
      const page = await openBare(bare.context, bare.site);
      const { record } = await play(page, 'local', 17, 'localStorageStore');
      await reloadBare(page);
      const again = await page.evaluate(async () => {
        const session = window.governor.openSession({ id: 'local', store: window.governor.localStorageStore(), contextWindow: 32_768 });
        await session.ready;
        const root = (await session.advanced.records()).find(({ part }) => part === 'root');
        return window.governor.decodeRecord(root.bytes, 'local');
      });
      seen({ store: 'localStorageStore', place: engine.name, promise: 'reload', kept: Number(again.tripped), of: 1 });
      assert.deepEqual(again, record);
    });

    for (const [how, ahead] of Object.entries({ 'a day ahead': DAY, 'a day behind': -DAY })) {
      test(`fault 22 a clock that jumps ${how} makes no pause longer than an hour and none negative`, async () => {
        const page = await openBare(bare.context, bare.site, bentClock);
        const before = await play(page, 'clock', 17);
        assert.equal(before.record.tripped, true);
        const jumped = await page.evaluate(jump, ahead);
        assertBounded(jumped);
        const back = await page.evaluate(jump, 0);
        assertBounded(back);
        assert.ok(jumped.summaries + back.summaries - 2 * before.summaries <= 2, 'at most one probe for each jump');
        assert.deepEqual(page.mishaps, []);
      });
    }

    test('fault 22 with a clock that stands still the guard trips, says when it opens, and opens when the clock goes on', async () => {
      const page = await openBare(bare.context, bare.site, () => {
        window.frozen = 1_800_000_000_000;
        window.ahead = 0;
      }, bentClockKeptFrozen);
      const { record, summaries } = await play(page, 'frozen', 18);
      assert.equal(summaries, 2);
      assert.equal(record.tripped, true);
      assert.equal(record.recoveryAt, 1_800_000_000_000 + 300_000);
      const reasons = await page.evaluate(() =>
        [299_999, 300_000].map((ahead) => {
          window.ahead = ahead;
          return window.chat.session.explain().reason;
        }),
      );
      assert.equal(reasons[0], 'ineffective');
      assert.notEqual(reasons[1], 'ineffective');
      assert.deepEqual(page.mishaps, []);
    });

    // The puts of a pass: its intent's root; its commit's root, then its summary.
    for (const nth of [1, 2, 3]) {
      test(`fault 28 a trap before put ${nth} of a pass: another page and the reloaded one find a whole state`, async (t) => {
        const page = await openBare(bare.context, bare.site, trapInCommit);
        const before = await play(page, 'trap', 16);
        const other = await openBare(bare.context, bare.site);
        const { trapped, settled } = await page.evaluate(trap, nth);
        assert.equal(trapped, true, 'the trap went off');
        t.diagnostic(settled ? 'the page itself went on' : 'the page itself hangs until it is reloaded');
        await reloadBare(page);
        for (const tab of [other, page]) {
          const now = await tab.evaluate(whole);
          assert.equal(now.found, 'existing');
          assert.deepEqual(now.parts, ['root', ...Array.from({ length: now.record.generations }, (_, at) => String(at + 1))]);
          assert.ok(now.record.ineffectiveStreak >= before.record.ineffectiveStreak, 'the guard is not weaker');
        }
        for (const tab of [other, page]) assert.equal(await tab.evaluate(() => window.chat.play(17).then(({ turns }) => turns)), 17, 'and the chat goes on');
      });
    }
  });
}

function assertBounded({ decision, now, record }) {
  if (decision.retryAt !== undefined) assert.ok(decision.retryAt > now && decision.retryAt - now <= HOUR, `retry in ${decision.retryAt - now} ms`);
  if (record.recoveryAt !== null) assert.ok(record.recoveryAt - now <= HOUR, `recovery in ${record.recoveryAt - now} ms`);
  assert.notEqual(decision.sentence, '');
  assert.ok(!/-\d/.test(decision.sentence), decision.sentence);
}

async function play(page, id, turns, store = 'indexedDb') {
  return page.evaluate(
    async (id, kept, turns, store) => {
      window.chat = new window.Chat(id, window.governor[store](), kept);
      await window.chat.play(turns);
      return { record: await window.chat.record(), summaries: window.chat.summaries };
    },
    id,
    structuredClone(ALMOST_DUE),
    turns,
    store,
  );
}

/** In the page: the clock is `ahead` by this much from now on; the next turn. */
async function jump(ahead) {
  window.ahead = ahead;
  const { chat } = window;
  const { compacted } = await chat.ask();
  await chat.report();
  return { compacted, decision: chat.session.explain(), now: Date.now(), record: await chat.record(), summaries: chat.summaries };
}

function bentClockKeptFrozen() {
  Date.now = () => window.frozen + window.ahead;
}

function inWorker(store, kept, turns) {
  return new Promise((resolve, reject) => {
    const worker = new Worker('./support/worker.mjs', { type: 'module' });
    worker.onmessage = ({ data }) => {
      resolve(data);
      worker.terminate();
    };
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage({ store, kept, turns });
  });
}

/** Once `trapAt` counts down, the call out of WASM that copies the bytes of a put does not come back: nothing in Rust is unwound. */
function trapInCommit() {
  window.Uint8Array = new Proxy(window.Uint8Array, {
    construct(target, given, self) {
      if (given[0] instanceof target && window.trapAt > 0 && (window.trapAt -= 1) === 0) {
        window.trapped = true;
        throw new WebAssembly.RuntimeError('unreachable');
      }
      return Reflect.construct(target, given, self);
    },
  });
}

/** In the page: the next turn, with a trap before the nth put; whether it went off, and whether the turn ended. */
async function trap(nth) {
  window.trapAt = nth;
  const { chat } = window;
  const answered = chat.ask().then(() => chat.report()).then(() => true, () => true);
  const settled = await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 1_000, false))]);
  return { trapped: window.trapped === true, settled };
}

/** In the page: the session as it is stored, and how it is found. */
async function whole() {
  const rows = await window.raw.rows('trap');
  const root = rows.find(({ part }) => part === 'root');
  window.chat = new window.Chat('trap', window.governor.indexedDb(), { turns: 16, outside: 20_000, files: [8_000] });
  const { found } = await window.chat.session.ready;
  return {
    found,
    record: window.governor.decodeRecord(Uint8Array.from(root.bytes), 'trap'),
    parts: rows.map(({ part }) => part).sort((a, b) => (b === 'root') - (a === 'root') || a - b),
  };
}
