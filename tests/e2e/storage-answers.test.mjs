// An engine that fails, lies or says nothing: every turn is answered, what is stored stays whole, and the host is told.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bareBrowser } from './support/bare-browser.mjs';
import { ALMOST_DUE, countWrites, openBare } from './support/bare.mjs';
import { storageEngines } from './support/browsers.mjs';
import { bentClock, shortDeadlines } from './support/clock.mjs';
import { faults } from './support/faults.mjs';

/** Longer than the longest pause before a failed store is tried again. */
const LATER_MS = 61_000;
/** What three turns from `ALMOST_DUE` write: intent, commit and verdict, twice. */
const COMMITS = 6;

for (const engine of storageEngines) {
  describe(`an engine that does not do as it should, in ${engine.name}`, () => {
    const bare = bareBrowser(engine);

    const open = (...installs) => openBare(bare.context, bare.site, bentClock, shortDeadlines, countWrites, ...installs);

    test('fault 02 an abort without an error event is a failed write: old state, told, written later', async () => {
      const page = await open(abortSilently);
      const before = await play(page, 16);
      await page.evaluate(() => (window.abort = true));
      const failed = await play(page, 17);
      assert.deepEqual(failed.stored, before.stored, 'the old state stands');
      assert.equal(failed.durability, 'degraded');
      assert.deepEqual(failed.told, ['degraded']);
      assert.ok(failed.ms < 5_000, `answered at once, not by a deadline: ${failed.ms} ms`);
      await page.evaluate(() => (window.abort = false));
      assertWrittenAfterAll(await later(page));
    });

    for (const [fault, how, code] of [
      ['14', 'never opens', 'timeout'],
      ['15', 'is denied', 'unavailable'],
      ['15', 'is absent', 'unavailable'],
    ]) {
      test(`fault ${fault} an IndexedDB that ${how}: the guard works in memory, and asked for, the reason is ${code}`, async () => {
        const page = await open(faults[how]);
        const { kept, durability, told, summaries, error, decision } = await play(page, 18, { ask: true });
        assert.equal(kept.turns, 18);
        assert.equal(durability, 'degraded');
        assert.deepEqual(told, ['degraded']);
        assert.ok(summaries >= 1 && summaries <= 2, `${summaries} passes`);
        assert.equal(decision, 'blocked');
        assert.equal(error.code, code);
        assert.equal(error.applied, 'no');
        assert.deepEqual(page.mishaps, []);
      });
    }

    for (const [fault, what, install] of [
      ['23', 'fails once', failPut],
      ['23', 'fails for ever', failPut],
      ['24', 'is applied and never answered', loseAck],
    ]) {
      test(`fault ${fault} whichever write ${what}: nothing half, nothing twice, bounded calls, and at last all is stored`, async (t) => {
        const page = await open(install);
        let struck = 0;
        let n = 1;
        for (; ; n += 1) {
          await page.evaluate((n, forever) => {
            window.chat = undefined;
            window.ahead = 0;
            window.fault = { n, forever, struck: false };
          }, n, what === 'fails for ever');
          const id = `nth-${fault}-${n}`;
          const ended = await play(page, 17, { id, whole: true });
          const hit = await page.evaluate(() => {
            const { struck } = window.fault;
            window.fault = undefined;
            return struck;
          });
          assert.equal(ended.kept.turns, 17, `n = ${n}: every turn was answered`);
          assert.ok(ended.summaries <= 2, `n = ${n}: ${ended.summaries} passes`);
          assert.ok(ended.writes <= 2 * COMMITS + 1, `n = ${n}: ${ended.writes} transactions`);
          if (!hit) {
            assert.equal(ended.durability, 'durable');
            break;
          }
          struck += 1;
          assertWrittenAfterAll(await later(page), `n = ${n}: `);
        }
        t.diagnostic(`${struck} writes struck, one after the other`);
        assert.ok(struck >= COMMITS, `${struck} of them`);
        assert.deepEqual(page.mishaps, []);
      });
    }

    test('a connection that the engine takes away is opened again, and nothing is lost', async () => {
      const page = await open();
      await play(page, 16);
      await page.evaluate(() => {
        const { transaction } = IDBDatabase.prototype;
        IDBDatabase.prototype.transaction = function (...given) {
          IDBDatabase.prototype.transaction = transaction;
          this.close();
          return transaction.apply(this, given);
        };
      });
      const ended = await play(page, 17);
      assert.equal(ended.durability, 'durable');
      assert.equal(ended.record.ineffectiveStreak, 2);
      assert.deepEqual(ended.told, []);
    });
  });
}

function assertWrittenAfterAll({ record, memory, durability, parts, summaries }, when = '') {
  assert.equal(durability, 'durable', `${when}it answers again`);
  assert.equal(record.compactions, summaries, `${when}each pass is counted once`);
  assert.equal(record.ineffectiveStreak, memory.strikes, `${when}each strike once`);
  assert.equal(record.tripped, memory.tripped, `${when}the guard is as tripped as in memory`);
  assert.deepEqual(parts, ['root', ...Array.from({ length: record.generations }, (_, at) => String(at + 1))], `${when}all parts`);
}

/** Plays up to `turns` turns, and says what the host saw, what the store holds and what it cost. */
async function play(page, turns, { id = 'chat', ask = false, whole = false } = {}) {
  return page.evaluate(
    async (id, kept, turns, ask, whole) => {
      window.chat ??= new window.Chat(id, window.governor.indexedDb(), structuredClone(kept));
      const { chat } = window;
      const [began, wrote] = [performance.now(), window.writes];
      await chat.play(turns);
      if (ask) await chat.ask();
      const error = ask ? await chat.session.advanced.records().then(() => undefined, ({ code, applied }) => ({ code, applied })) : undefined;
      const { durability } = chat.session.getSnapshot();
      const rows = ask || whole ? [] : await window.raw.rows(id);
      const root = rows.find(({ part }) => part === 'root');
      return {
        kept: chat.kept,
        durability,
        told: chat.events.filter(({ type }) => type === 'storage').map(({ durability }) => durability),
        summaries: chat.summaries,
        decision: chat.session.explain().action,
        error,
        stored: rows,
        record: root && window.governor.decodeRecord(Uint8Array.from(root.bytes), id),
        writes: window.writes - wrote,
        ms: performance.now() - began,
      };
    },
    id,
    ALMOST_DUE,
    turns,
    ask,
    whole,
  );
}

/** A minute later the next turn writes what could not be written. */
async function later(page) {
  return page.evaluate(async (ms) => {
    const { chat } = window;
    window.ahead += ms;
    await chat.ask();
    await chat.report();
    const { id } = chat.session;
    const rows = await window.raw.rows(id);
    const root = rows.find(({ part }) => part === 'root');
    const decision = chat.session.explain();
    return {
      record: window.governor.decodeRecord(Uint8Array.from(root.bytes), id),
      memory: { strikes: chat.events.filter(({ verdict }) => verdict === 'ineffective').length, tripped: decision.action === 'blocked' && decision.reason === 'ineffective' },
      durability: chat.session.getSnapshot().durability,
      parts: rows.map(({ part }) => part).sort((a, b) => (b === 'root') - (a === 'root') || a - b),
      summaries: chat.session.history().length,
    };
  }, LATER_MS);
}

/** While `abort` is set, every write is rolled back after all its requests have succeeded, without an error event. */
function abortSilently() {
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (...given) {
    const request = put.apply(this, given);
    if (window.abort) request.addEventListener('success', () => request.transaction.abort());
    return request;
  };
}

/** The nth put from here on, or each from the nth, throws. */
function failPut() {
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (...given) {
    const { fault } = window;
    if (fault && (fault.n -= 1) <= 0 && (fault.forever || !fault.struck)) {
      fault.struck = true;
      throw new DOMException('The operation failed.', 'UnknownError');
    }
    return put.apply(this, given);
  };
}

/** The nth read-write transaction from here on is committed, and nobody hears of it. */
function loseAck() {
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (stores, mode, ...given) {
    const begun = transaction.call(this, stores, mode, ...given);
    const { fault } = window;
    if (fault && mode === 'readwrite' && (fault.n -= 1) === 0) {
      fault.struck = true;
      begun.addEventListener('complete', (event) => event.stopImmediatePropagation());
    }
    return begun;
  };
}
