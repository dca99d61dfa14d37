// What asking costs, at 100 and at 100,000 entries: the exported WASM query and the public methods.
import { readFileSync } from 'node:fs';
import { memory, openSession } from '../dist/index.js';
import * as glue from '../dist/wasm/compaction_governor.js';
import { measure, shown, write } from './lib/measure.mjs';

glue.initSync({ module: readFileSync(new URL('../dist/wasm/compaction_governor_bg.wasm', import.meta.url)) });

const SIZES = [100, 100_000];
const BUDGETS = { 'exported query, below': 10, 'shouldCompact(), below': 20, 'shouldCompact(), above': 100, 'explain(), above': 3_000 };
const ALONE = 0xffff_ffff;

/** A core with this many entries of 500 tokens and a window in which they are below or above the threshold. */
async function core(entries, above) {
  const settings = new glue.CoreSettings();
  settings.setWindow(above ? entries * 500 : entries * 5_000);
  const core = new glue.Core(`core-${entries}-${above}`, glue.StoreHandle.memory(), settings, 1, 2);
  await core.open(Date.now());
  for (let i = 0; i < entries; i++) core.push(i, 7, i % 2 ? 2 : 1, 0, 500, ALONE, 0, 1_200);
  return core;
}

async function session(entries, above) {
  const content = 'x'.repeat(1_750);
  const session = openSession({ id: `session-${entries}-${above}`, store: memory(), contextWindow: above ? entries * 500 : entries * 5_000 });
  await session.ready;
  session.advanced.observe(Array.from({ length: entries }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `${i} ${content}` })));
  return session;
}

const rows = [];
for (const entries of SIZES) {
  const low = await core(entries, false);
  const { number } = low;
  const below = await session(entries, false);
  const above = await session(entries, true);
  const times = (query) => (count) => { let sum = 0; for (let i = 0; i < count; i++) sum += query() ? 1 : 0; return sum; };
  const taken = measure({
    'exported query, below': times(() => glue.overLine(number) === 2),
    'shouldCompact(), below': times(() => below.shouldCompact()),
    'shouldCompact(), above': times(() => above.shouldCompact()),
    'explain(), above': times(() => above.explain()),
  });
  for (const [what, ns] of Object.entries(taken)) rows.push([what, entries.toLocaleString('en'), shown(ns), shown(BUDGETS[what])]);
}
rows.sort(([a], [b]) => Object.keys(BUDGETS).indexOf(a) - Object.keys(BUDGETS).indexOf(b));
write({ title: 'Deciding: CPU time per call, median, Node', columns: ['query', 'entries', 'measured', 'goal'], rows });
