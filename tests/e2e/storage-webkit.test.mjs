// WebKit's network process, which holds the databases, is killed under an open page. Safari's users meet this as "Connection to Indexed
// Database server lost"; WebKitGTK shows the same.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ALMOST_DUE } from './support/bare.mjs';
import { miniBrowser, Remote } from './support/minibrowser.mjs';
import { seen } from './support/promises.mjs';

const programs = miniBrowser();

describe('fault 09 the network process of WebKitGTK is killed', { skip: !programs && 'no MiniBrowser with xvfb-run here: set MINIBROWSER and XVFB_RUN' }, () => {
  let remote;

  before(async () => {
    remote = await Remote.start(programs);
  });
  after(() => remote?.end());

  test('between two writes: every turn is answered and kept, through a hidden frame, and a reload finds what was acknowledged', async () => {
    const before = await remote.evaluate(play, 'between', ALMOST_DUE, 16);
    assert.equal(before.durability, 'durable');
    await remote.killNetworkProcess();
    const { turns, mostMs, durability, told, error } = await remote.evaluate(play, 'between', ALMOST_DUE, 18);
    assert.equal(turns, 18);
    assert.ok(mostMs < 5_000, `${mostMs} ms for one turn`);
    assert.deepEqual([durability, error, told], ['durable', undefined, []], 'what the page itself cannot keep any more, the frame keeps');
    await assertKeptOverReload('between', before.record);
  });

  test('in the midst of a commit: old state or new, no later turn waits, and they are kept', async () => {
    const before = await remote.evaluate(play, 'within', ALMOST_DUE, 16);
    await remote.evaluate(holdCommits);
    await remote.evaluate(() => {
      window.hold = true;
      window.asked = window.chat.ask();
    });
    await remote.evaluate(async () => {
      while (!window.held) await new Promise((resolve) => setTimeout(resolve, 20));
    });
    await remote.killNetworkProcess();
    // The turn whose commit was cut off is answered too; only then does the next one begin.
    const heldMs = await remote.evaluate(async () => {
      const began = performance.now();
      await window.asked;
      return performance.now() - began;
    });
    const { turns, mostMs, durability, error } = await remote.evaluate(play, 'within', ALMOST_DUE, 18);
    assert.deepEqual([turns, durability, error], [18, 'durable', undefined]);
    assert.ok(Math.max(heldMs, mostMs) < 5_000, `${heldMs} ms for the turn that was cut off, ${mostMs} ms for a later one`);
    await assertKeptOverReload('within', before.record);
  });

  async function assertKeptOverReload(id, acknowledged) {
    await remote.reload();
    const { found, first } = await remote.evaluate(play, id, { ...ALMOST_DUE, turns: 18, outside: 28_000, files: [] }, 18);
    const kept = found === 'existing' && first.ineffectiveStreak >= acknowledged.ineffectiveStreak && first.compactions >= acknowledged.compactions;
    seen({ store: 'indexedDb', place: 'WebKitGTK', promise: 'reload', kept: Number(kept), of: 1 });
    assert.ok(kept, JSON.stringify({ found, first, acknowledged }));
  }
});

/** In the page: turns up to `turns` of the session `id`, how it was found and how it stands. */
async function play(id, kept, turns) {
  if (window.chat?.session.id !== id) window.chat = new window.Chat(id, window.governor.indexedDb(), kept);
  const { chat } = window;
  const { found } = await chat.session.ready;
  const first = await chat.record().catch(() => undefined);
  let mostMs = 0;
  while (chat.kept.turns < turns) {
    const began = performance.now();
    await chat.play(chat.kept.turns + 1);
    mostMs = Math.max(mostMs, performance.now() - began);
  }
  const error = await chat.session.advanced.records().then(() => undefined, ({ code }) => code);
  const record = error === undefined ? await chat.record() : undefined;
  const told = chat.events.filter(({ type }) => type === 'storage').map(({ durability }) => durability);
  return { found, first, record, error, told, turns: chat.kept.turns, mostMs, durability: chat.session.getSnapshot().durability };
}

/** In the page: once `hold` is set, a commit that has written its root is kept open for ever. */
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
    window.hold = false;
    return request;
  };
}
