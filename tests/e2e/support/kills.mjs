// The browser is killed at random moments while sessions are written, and started again on its profile. SEED brings the moments back.
// A file for each engine calls this: a runner gives each file five minutes.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { ALMOST_DUE, bareSite, openBare } from './bare.mjs';
import { Running } from './browsers.mjs';
import { seen } from './promises.mjs';
import { numbers, seed } from './random.mjs';

const KILLS = 50;
/** A kill comes at most this long after the first acknowledgement of its cycle: about two sessions are written in it. */
const LONGEST_MS = 250;

/** The tests of faults 05, 06 and 07 in one engine. */
export function killing(engine) {
  describe(`killing ${engine.name} ${KILLS} times`, () => {
    const chosen = seed();
    const kills = [];
    let site;
    let running;

    before(async () => {
      site = await bareSite();
      running = await Running.start(engine);
      const below = numbers(chosen);
      let page = await openBare(running.browser, site, tellPuts);
      while (kills.length < KILLS) {
        const told = await killed(running, page, `kill-${kills.length}`, below(LONGEST_MS));
        page = await openBare(running.browser, site, tellPuts);
        kills.push({ ...told, found: await page.evaluate(foundAgain, told.started, told.local?.id) });
      }
    });
    after(async () => {
      await running?.end();
      site?.close();
    });

    if (engine.browser === 'chrome') {
      test('it keeps its databases in the files of this lane', async () => {
        const files = await readdir(running.profile, { recursive: true });
        assert.equal(files.some((name) => name.includes('indexeddb.leveldb')), engine.name === 'Chromium');
      });
    }

    test(`fault 05 every acknowledged revision is there again (seed ${chosen})`, (t) => {
      let acknowledged = 0;
      let kept = 0;
      for (const { acks, found } of kills) {
        for (const [id, { revision, record }] of Object.entries(acks)) {
          const { root, record: now } = found.sessions[id];
          acknowledged += 1;
          kept += root?.revision >= revision && !isWeaker(now, record) ? 1 : 0;
        }
      }
      const cycles = kills.filter(({ acks, found }) => Object.entries(acks).every(([id, { revision }]) => found.sessions[id].root?.revision >= revision)).length;
      seen({ store: 'indexedDb', place: engine.name, promise: 'browser_kill', kept: cycles, of: kills.length });
      t.diagnostic(`${kept} of ${acknowledged} sessions in ${kills.length} kills`);
      assert.equal(kept, acknowledged);
      assert.ok(acknowledged >= KILLS, 'each kill came after an acknowledgement');
    });

    test(`fault 06 what was not acknowledged is there whole or not at all (seed ${chosen})`, (t) => {
      const outcomes = { old: 0, new: 0 };
      for (const { acks, puts, found } of kills) {
        for (const [id, { root, parts, record, summaries }] of Object.entries(found.sessions)) {
          const acked = acks[id];
          if (!root) continue;
          assert.ok(record, `${id}: its root can be read`);
          assert.deepEqual(parts, ['root', ...Array.from({ length: record.generations }, (_, at) => String(at + 1))], `${id}: a part for each generation, and none besides`);
          assert.equal(summaries, record.generations, `${id}: the text of each`);
          const tried = puts.filter((put) => put.session === id && put.revision === root.revision).map(({ op }) => op);
          assert.ok(tried.length === 0 || tried.includes(root.op), `${id}: the operation that the root names wrote this revision`);
          const open = puts.some((put) => put.session === id && put.revision > (acked?.revision ?? 0));
          if (open) outcomes[root.revision > (acked?.revision ?? 0) ? 'new' : 'old'] += 1;
          if (root.revision === acked?.revision) assert.deepEqual(record, acked.record, `${id}: the acknowledged state, no other`);
        }
      }
      t.diagnostic(`commits under way at the kill: ${outcomes.old} left the old state, ${outcomes.new} the new one`);
      assert.ok(outcomes.old + outcomes.new > 0, 'some kills came between a put and its acknowledgement');
    });

    test('fault 07 localStorage says beforehand that it survives a reload only, and after a kill holds a whole state or none', (t) => {
      const local = kills.filter(({ local }) => local);
      const kept = local.filter(({ local, found }) => found.local?.ineffectiveStreak === local.record.ineffectiveStreak).length;
      seen({ store: 'localStorageStore', place: engine.name, promise: 'browser_kill', kept, of: local.length });
      t.diagnostic(`${kept} of ${local.length} kept`);
      assert.equal(local.length, kills.length);
      for (const { local, found } of kills) {
        assert.equal(local.durability, 'reload_only', 'known before the first event');
        assert.ok(['new', 'existing'].includes(found.localFound), `opened as ${found.localFound}`);
        if (found.local) assert.deepEqual(found.local, local.record);
      }
    });
  });
}

/** Lets the page write sessions called `name` and kills the browser `delay` ms after the first acknowledgement; what the page said until then. */
async function killed(running, page, name, delay) {
  const told = { started: [], acks: {}, puts: [], local: undefined };
  let first;
  const acknowledged = new Promise((resolve) => (first = resolve));
  page.on('console', (message) => {
    const text = message.text();
    if (!text.startsWith('told ')) return;
    const { started, ack, put, local } = JSON.parse(text.slice(5));
    if (started) told.started.push(started);
    if (put) told.puts.push(put);
    if (local) told.local = local;
    if (ack) {
      told.acks[ack.id] = ack;
      first();
    }
  });
  page.evaluate(writeForEver, name, ALMOST_DUE).catch(() => {});
  await acknowledged;
  await new Promise((resolve) => setTimeout(resolve, delay));
  await running.restart();
  return told;
}

/** In the page: first a session in localStorage, then one in IndexedDB after the other: a strike, a second one, a pin. */
async function writeForEver(name, kept) {
  const { Chat, governor, raw } = window;
  const tell = (what) => console.debug(`told ${JSON.stringify(what)}`);
  const begin = async (id, store) => {
    const chat = new Chat(id, store, structuredClone(kept));
    const { durability } = await chat.session.ready;
    return { chat, durability };
  };
  const local = await begin(`${name}-local`, governor.localStorageStore());
  await local.chat.play(16);
  tell({ local: { id: `${name}-local`, durability: local.durability, record: await local.chat.record() } });
  for (let n = 0; ; n += 1) {
    const id = `${name}-${n}`;
    tell({ started: id });
    const { chat } = await begin(id, governor.indexedDb());
    for (const step of ['ask', 'report', 'ask', 'report', 'ask', 'report']) {
      await chat[step]();
      const record = await chat.record();
      const [root] = (await raw.rows(id)).filter(({ part }) => part === 'root');
      if (root) tell({ ack: { id, revision: root.revision, record } });
    }
  }
}

/** In the page, before its scripts: says which commit is about to be written. */
function tellPuts() {
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (value, key) {
    if (Array.isArray(key) && key[1] === 'root') console.debug(`told ${JSON.stringify({ put: { session: key[0], revision: value.revision, op: value.op } })}`);
    return put.call(this, value, key);
  };
}

/** In the page: what is stored of the sessions, past the package and through it. */
async function foundAgain(ids, local) {
  const { governor, raw } = window;
  const store = governor.indexedDb();
  const sessions = {};
  for (const id of ids) {
    const rows = await raw.rows(id);
    const session = governor.openSession({ id, store, contextWindow: 32_768 });
    await session.ready;
    const root = rows.find(({ part }) => part === 'root');
    sessions[id] = {
      root: root && { revision: root.revision, op: root.op },
      parts: rows.map(({ part }) => part).sort((a, b) => (b === 'root') - (a === 'root') || a - b),
      record: root && governor.decodeRecord(Uint8Array.from(root.bytes), id),
      summaries: session.history().filter(({ summary }) => summary.startsWith('The plan stands.')).length,
    };
    await session.close();
  }
  const session = governor.openSession({ id: local, store: governor.localStorageStore(), contextWindow: 32_768 });
  const { found: localFound } = await session.ready;
  const part = (await session.advanced.records()).find(({ part }) => part === 'root');
  return { sessions, localFound, local: part && governor.decodeRecord(part.bytes, local) };
}

function isWeaker(now, acknowledged) {
  const strikes = ({ ineffectiveStreak, weakStreak }) => ineffectiveStreak + weakStreak;
  return !now || strikes(now) < strikes(acknowledged) || (acknowledged.tripped && !now.tripped) || now.recoveryAt < acknowledged.recoveryAt;
}
