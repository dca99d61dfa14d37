// What working out a slice costs in a steady session: the Rust planner, native, built as the WASM is.
import { spawnSync } from 'node:child_process';
import { shown, write } from './lib/measure.mjs';

const GOALS = { 10_000: 2_000, 100_000: 60_000 };
const VIEW_GOAL = 50_000;
const cargo = ['run', '--release', '--locked', '--quiet', '--example', 'planning'];
const run = spawnSync('cargo', cargo, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
if (run.status !== 0) process.exit(run.status ?? 1);
function goalOf(what, entries) {
  if (what.startsWith('view')) return shown(VIEW_GOAL);
  return what === 'steady' && entries === '100000' ? '–' : shown(GOALS[entries]);
}

const rows = run.stdout.trim().split('\n').map((line) => {
  const [entries, what, ns] = line.split('\t');
  return [what, Number(entries).toLocaleString('en'), shown(Number(ns)), goalOf(what, entries)];
});
write({ title: 'Planning and view: CPU time of one, median, native', columns: ['what', 'entries', 'measured', 'goal'], rows });
