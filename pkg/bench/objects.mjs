// What the governor adds to a request of a Durable Object in workerd, what it writes, and what a commit costs beside a bare put.
import { fileURLToPath } from 'node:url';
import { Model } from '../../tests/workers/support/model.mjs';
import { Workers } from '../../tests/workers/support/workers.mjs';
import { shown, write } from './lib/measure.mjs';

const SAMPLES = 300;
const MESSAGES = 100;
const COMMITS = 2_000;
const BYTES = 1_024;

const rows = [];
await within('bench.mjs', { objects: { MEASURED: 'Measured' } }, async (workers) => {
  await workers.ask('one', 'fill', { messages: MESSAGES });
  const { governed, plain } = await inTurns(SAMPLES, {
    governed: () => workers.ask('one', 'turn', { governed: true }),
    plain: () => workers.ask('one', 'turn', { governed: false }),
  });
  // Each beside the plain request next to it: the machine is as busy for both.
  const added = governed.map((time, turn) => time - plain[turn]);
  for (const [name, part] of [['median', 0.5], ['p99', 0.99]]) {
    rows.push([`request with a turn of ${MESSAGES} messages, ${name}: with / without / added to its neighbour`, [governed, plain, added].map((times) => shown(at(times, part))).join(' / ')]);
  }
  const size = { count: COMMITS, bytes: BYTES };
  const { nothing, commits, puts, gets } = await inTurns(15, {
    nothing: () => workers.ask('one', 'commits', { ...size, count: 0 }),
    commits: () => workers.ask('one', 'commits', size),
    puts: () => workers.ask('one', 'puts', size),
    gets: () => workers.ask('one', 'gets', size),
  });
  const each = (times) => (at(times, 0.5) - at(nothing, 0.5)) / COMMITS;
  rows.push([`compare-and-swap of ${BYTES.toLocaleString('en')} bytes / bare kv.put / get and put in one transaction`, `${shown(each(commits))} / ${shown(each(puts))} / ${shown(each(gets))}`]);
});
const model = new Model();
await within('lab.mjs', { objects: { LAB: 'Lab' }, serviceBindings: { MODEL: model.handle } }, async (workers) => {
  const written = [];
  for (let n = 0; n < 8; n += 1) {
    await workers.ask('rows', 'say', { text: `message ${n} ${'lorem ipsum '.repeat(180)}` });
    written.push((await workers.ask('rows', 'written')).length);
  }
  rows.push(['rows written in a turn without a compaction', String(Math.min(...written))]);
  rows.push(['rows written in a turn with one: intent, summary and root, verdict', String(Math.max(...written))]);
});
write({ title: 'Durable Objects: wall time in workerd, seen from outside, and rows', columns: ['what', 'measured'], rows });

async function within(lab, options, job) {
  const workers = await Workers.at(fileURLToPath(new URL(`../../tests/workers/lab/${lab}`, import.meta.url)), options);
  await workers.start();
  await job(workers).finally(() => workers.end());
}

/** Nanoseconds of each call, the contenders in turn. */
async function inTurns(samples, jobs) {
  const taken = Object.fromEntries(Object.keys(jobs).map((name) => [name, []]));
  for (let sample = -5; sample < samples; sample += 1) {
    for (const [name, job] of Object.entries(jobs)) {
      const start = performance.now();
      await job();
      if (sample >= 0) taken[name].push((performance.now() - start) * 1e6);
    }
  }
  return taken;
}

function at(times, part) {
  return times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * part)];
}
