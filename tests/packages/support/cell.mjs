// One consumer in a fresh folder of its own: a copy of `consumers/<name>` with the shared conversation beside it. The packed
// package is found in the folder above, the tools (tools/package.json) in the one above that.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `talk` answers where all is well. */
export const EXPECTED = 'existing: Goal: count the entries. Done: eleven of them were read. Open: the twelfth.';
/** The folder that the package is installed in. */
export const FRESH = fileURLToPath(new URL('../../', import.meta.url));

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const require = createRequire(import.meta.url);

/** A file inside a package of the tools, or of ours. */
export const inPackage = (name, file) => join(packageFolder(name), file);

export function packageFolder(name) {
  const folder = require.resolve.paths(name).map((paths) => join(paths, name)).find((path) => exists(join(path, 'package.json')));
  assert.ok(folder, `${name} is not installed`);
  return folder;
}

export const versionOf = (name) => JSON.parse(readFileSync(inPackage(name, 'package.json'), 'utf8')).version;

/** A fresh folder with the consumer of that name in it. */
export function cellOf(name) {
  const folder = mkdtempSync(join(FRESH, `${name}-`));
  cpSync(here(`consumers/${name}`), folder, { recursive: true });
  const talk = readFileSync(here('consumers/talk.js'), 'utf8');
  for (const end of ['js', 'mjs']) writeFileSync(join(folder, `talk.${end}`), talk);
  writeFileSync(join(folder, 'talk.cjs'), talk.replace('export async function talk', 'exports.talk = async function'));
  return folder;
}

/** Runs to its end; what it printed, or an error with all of it. */
export async function run(folder, program, args, env = {}) {
  const started = start(folder, program, args, env);
  const code = await new Promise((resolve) => started.child.once('close', resolve));
  assert.equal(code, 0, `${program} ${args.join(' ')} ended with ${code}\n${started.printed()}`);
  return started.printed();
}

/** Starts a program that stays, in a group of its own; `said` waits for what it prints, `stop` ends it with its children. */
export function start(folder, program, args, env = {}, stdin = 'ignore') {
  const quiet = { CI: 'true', NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1', WRANGLER_SEND_METRICS: 'false', EXPECTED };
  // The runner's own variable would make a test runner inside believe that it is one of its children.
  const { NODE_TEST_CONTEXT, ...inherited } = process.env;
  const child = spawn(program, args, { cwd: folder, env: { ...inherited, ...quiet, ...env }, detached: true, stdio: [stdin, 'pipe', 'pipe'] });
  let printed = '';
  const waiting = new Set();
  const hear = (chunk) => {
    printed += chunk;
    for (const look of [...waiting]) look();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  child.once('error', (error) => hear(`${error}\n`));
  const said = (pattern) => new Promise((resolve, reject) => {
    const look = () => {
      const found = pattern.exec(printed);
      if (!found) return;
      waiting.delete(look);
      resolve(found);
    };
    waiting.add(look);
    child.once('close', () => reject(new Error(`${program} ended before it said ${pattern}\n${printed}`)));
    look();
  });
  return { child, said, printed: () => printed, stop: () => stop(child) };
}

function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('close', resolve));
  process.kill(-child.pid, 'SIGKILL');
  return gone;
}

/** Runs `node` on a file of a package. */
export const tool = (folder, name, file, args, env) => run(folder, process.execPath, [inPackage(name, file), ...args], env);

/** Notes a cell that did what it should, for the table in README. */
export function seen(consumer, version, how, where) {
  const { CONSUMERS_SEEN } = process.env;
  if (CONSUMERS_SEEN) appendFileSync(CONSUMERS_SEEN, `${JSON.stringify({ consumer, version, how, where })}\n`);
}

function exists(path) {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}
