// What a commit costs in real engines beside the least that could do its work: one get and one put of the same bytes in one
// transaction. And how much of the engine an event takes: transactions, requests, bytes.
import { engines, openTab, Running } from '../../tests/e2e/support/browsers.mjs';
import { here, serve } from '../../tests/e2e/support/site.mjs';
import { shown, write } from './lib/measure.mjs';

const SAMPLES = 200;
const RATIO = 1.15;

const rows = [];
const site = await serve({ '/package/': here('pkg/dist'), '/support/': here('tests/e2e/support'), '/': here('tests/e2e/support') });
try {
  for (const engine of engines) rows.push(...(await inEngine(engine)));
} finally {
  site.close();
}
write({ title: 'Storing in IndexedDB: time to the engine’s `complete`, and what reaches the engine', columns: ['what', 'engine', 'measured', 'goal'], rows });

async function inEngine(engine) {
  const running = await Running.start(engine);
  try {
    const page = await openTab(running.browser);
    await page.goto(`${site.url}bare.html`);
    await page.waitForFunction(() => 'Chat' in window);
    const latencies = [];
    for (const durability of ['relaxed', 'strict']) latencies.push(...latency(engine.name, durability, await page.evaluate(race, durability, SAMPLES)));
    const taken = await page.evaluate(events);
    return [...latencies, ...taken.map(([what, measured, goal]) => [what, engine.name, measured, goal])];
  } finally {
    await running.end();
  }
}

function latency(engine, durability, { ours, bare, bytes }) {
  const at = (times, part) => times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * part)];
  return [['median', 0.5], ['p99', 0.99]].map(([name, part]) => {
    const [mine, least] = [at(ours, part), at(bare, part)];
    return [`commit of ${bytes} bytes, ${durability}, ${name}: ours / bare`, engine, `${shown(mine * 1e6)} / ${shown(least * 1e6)} = ${(mine / least).toFixed(2)}`, RATIO.toFixed(2)];
  });
}

/** In the page: commits of ours and bare ones in turn. A renewal of a claimed attempt is one commit of the root record. */
async function race(durability, samples) {
  const { governor, Chat } = window;
  const name = `race-${durability}`;
  const store = governor.indexedDb({ name, durability });
  const chat = new Chat('race', store);
  await chat.play(12);
  const plan = await chat.session.advanced.plan({ trigger: 'manual' });
  if ('refused' in plan) throw new Error(plan.refused.sentence);
  const database = await new Promise((resolve, reject) => {
    const request = indexedDB.open(`${name}-bare`, 1);
    request.onupgradeneeded = () => request.result.createObjectStore('records');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const [root] = await chat.session.advanced.records();
  const value = { revision: 1, bytes: root.bytes, op: '0123456789abcdef' };
  const bare = () => new Promise((resolve, reject) => {
    const transaction = database.transaction(['records'], 'readwrite', { durability });
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
    const records = transaction.objectStore('records');
    records.get(['race', 'root']).onsuccess = () => records.put(value, ['race', 'root']);
  });
  const times = { ours: [], bare: [] };
  for (let sample = -20; sample < samples; sample += 1) {
    for (const [who, commit] of [['ours', () => plan.renew()], ['bare', bare]]) {
      // A renewal in the same millisecond would change nothing, and what changes nothing is not written.
      await new Promise((resolve) => setTimeout(resolve, 2));
      const start = performance.now();
      await commit();
      if (sample >= 0) times[who].push(performance.now() - start);
    }
  }
  await plan.fail(new Error('measured'));
  database.close();
  return { ...times, bytes: root.bytes.length };
}

/** In the page: transactions, and bytes put, of each event of a session with 50 generations at the end. */
async function events() {
  const { governor, Chat } = window;
  let [transactions, bytes] = [[], 0];
  const { transaction } = IDBDatabase.prototype;
  const { put } = IDBObjectStore.prototype;
  IDBDatabase.prototype.transaction = function (...given) {
    transactions.push(given[1] ?? 'readonly');
    return transaction.apply(this, given);
  };
  IDBObjectStore.prototype.put = function (...given) {
    bytes += given[0]?.bytes?.length ?? 0;
    return put.apply(this, given);
  };
  const seen = [];
  const watch = async (what, goal, job) => {
    [transactions, bytes] = [[], 0];
    const result = await job();
    seen.push([what, `${transactions.length} transactions, ${bytes} bytes written`, goal]);
    return result;
  };
  const store = governor.indexedDb({ name: 'events' });
  const chat = new Chat('events', store);
  await chat.session.ready;
  await chat.play(3);
  await watch('a turn without a compaction', '0 transactions', () => chat.play(4));
  await chat.play(15);
  await watch('a turn with a compaction: intent, commit, verdict', '–', () => chat.play(16));
  const long = await fiftyGenerations();
  const generations = long.history().length;
  const root = (await long.advanced.records()).find(({ part }) => part === 'root');
  seen.push([`root record with ${generations} generations`, `${root.bytes.length} bytes`, '2,048 bytes']);
  await long.close();
  await watch(`opening a session with ${generations} generations`, '1 transactions, 0 bytes written', async () => {
    const again = governor.openSession({ id: 'long', store, contextWindow: 32_768 });
    await again.ready;
  });
  return seen;

  /** Compacted by hand after every few messages. */
  async function fiftyGenerations() {
    const summarize = async () => ({ choices: [{ message: { role: 'assistant', content: 'The parts were read and compared; the next one is due.' }, finish_reason: 'stop' }] });
    const session = governor.openSession({ id: 'long', store, contextWindow: 32_768, keep: { messages: 2 }, summarize });
    const messages = [];
    for (let pass = 0; pass < 50; pass += 1) {
      for (let i = 0; i < 4; i += 1) messages.push({ role: i % 2 ? 'assistant' : 'user', content: `${pass}.${i} ${'All of it was read. '.repeat(200)}` });
      const { status } = await session.compact(messages);
      if (status !== 'committed') throw new Error(status);
    }
    return session;
  }
}
