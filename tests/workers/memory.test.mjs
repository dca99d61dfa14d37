// Many objects share one isolate, and one WebAssembly instance in it: what an object that has ended leaves behind adds up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Model } from './support/model.mjs';
import { startWorkers } from './support/workers.mjs';

const model = new Model();
const entry = fileURLToPath(new URL('lab/lab.mjs', import.meta.url));
const workers = await startWorkers(entry, { objects: { LAB: 'Lab' }, serviceBindings: { MODEL: model.handle } });
const MB = 1_024 * 1_024;

/** Calls `each` for all numbers below `count`, some at a time. */
async function spread(count, each) {
  const numbers = Array.from({ length: count }, (_, n) => n);
  await Promise.all(Array.from({ length: 16 }, async () => {
    for (let n = numbers.pop(); n !== undefined; n = numbers.pop()) await each(n);
  }));
}

/** Memory with `count` objects that were just at work, in MB; then they end. */
async function passing(round, count) {
  await spread(count, (n) => workers.ask(`${round}-${n}`, 'fillAndPrepare', { messages: 40, characters: 240 }));
  const held = { wasm: (await workers.ask('looker', 'memory')) / MB, process: workers.megabytes() };
  await spread(count, (n) => workers.ask(`${round}-${n}`, 'abort').catch(() => undefined));
  return held;
}

test('1,000 objects live in one process in bounded memory, and those that come after them find it free again', async (t) => {
  const rounds = [await passing('a', 1_000)];
  assert.ok(rounds[0].wasm < 16 && rounds[0].process < 512, JSON.stringify(rounds));
  // Memory of the ended is given back when the engine collects, which it does in its own time.
  const grown = () => (rounds.length < 2 ? Infinity : rounds.at(-1).wasm / rounds.at(-2).wasm - 1);
  for (let n = 0; n < 8 && grown() > 0.02; n += 1) rounds.push(await passing(`b${n}`, 200));
  t.diagnostic(rounds.map(({ wasm, process }) => `wasm ${wasm.toFixed(1)} MB, process ${process.toFixed(0)} MB`).join('; '));
  assert.ok(grown() <= 0.02, 'every 200 objects that ended leave something behind');
});
