// From the import to the first answer in a fresh process, beside two other packages that bring a WebAssembly file.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { engines, Running } from '../../tests/e2e/support/browsers.mjs';
import { serve } from '../../tests/e2e/support/site.mjs';
import { inFreshFolder, tool } from './lib/fresh-folder.mjs';
import { median, shown, write } from './lib/measure.mjs';
import { entryOf, PACKAGES } from './lib/starters.mjs';

const SAMPLES = 15;
const GOAL_MS = 8;
const names = Object.keys(PACKAGES);
/** The program itself: its package's `bin` is a script around it, which would be ended in its place. */
const { default: { default: workerd } } = await tool('workerd');
/** Of all samples in turn, so that a slow moment of the machine is everybody's. */
async function medians(contenders, sample) {
  const taken = Object.fromEntries(contenders.map((name) => [name, []]));
  for (let i = 0; i < SAMPLES; i++) for (const name of contenders) taken[name].push(await sample(name));
  return Object.fromEntries(contenders.map((name) => [name, median(taken[name])]));
}

/** Milliseconds of CPU time. */
async function inNode(folder) {
  const child = "const before = process.cpuUsage(); const { first } = await import(process.argv[1]); first(); const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000); process.exit();";
  return medians(names, (name) => Number(spawnSync(process.execPath, ['--input-type=module', '-e', child, join(folder, entryOf(name))], { cwd: folder, encoding: 'utf8' }).stdout));
}

async function inChromium(folder) {
  for (const name of names) {
    const outfile = join(folder, 'page', entryOf(name));
    await build({ entryPoints: [join(folder, entryOf(name))], outfile, bundle: true, minify: true, format: 'esm', platform: 'neutral', mainFields: ['module', 'main'], conditions: PACKAGES[name].browser, external: ['node:*'] });
  }
  writeFileSync(join(folder, 'page/index.html'), '<!doctype html><title>start</title>');
  const site = await serve({ '/': join(folder, 'page') });
  const running = await Running.start(engines[0]);
  try {
    return await medians(names, async (name) => {
      // A context of its own: neither files nor compiled code are left from the sample before.
      const context = await running.browser.createBrowserContext();
      const page = await context.newPage();
      await page.goto(site.url);
      const ms = await page.evaluate(async (entry) => {
        const start = performance.now();
        const { first } = await import(`/${entry}`);
        first();
        return performance.now() - start;
      }, entryOf(name));
      await context.close();
      return ms;
    });
  } finally {
    await running.end();
    site.close();
  }
}

/** Milliseconds from the start of the process to the first answer, less those of a Worker that imports nothing. */
async function inWorkerd(folder) {
  const programs = {};
  for (const name of [...names, 'nothing']) programs[name] = await workerOf(folder, name);
  const { nothing, ...taken } = await medians(Object.keys(programs), (name) => answered(programs[name]));
  return Object.fromEntries(Object.entries(taken).map(([name, ms]) => [name, ms - nothing]));
}

async function workerOf(folder, name) {
  const out = join(folder, `worker-${entryOf(name)}`);
  mkdirSync(out);
  const imported = name === 'nothing' ? 'const first = () => 1;' : `import { first } from './${entryOf(name)}';`;
  const files = new Set();
  const compiled = {
    name: 'compiled',
    setup({ onResolve }) {
      onResolve({ filter: /\.wasm$/ }, async ({ path, resolveDir }) => {
        copyFileSync(join(resolveDir, path), join(out, basename(path)));
        files.add(basename(path));
        return { path: `./${basename(path)}`, external: true };
      });
    },
  };
  const contents = `${imported} export default { fetch: () => new Response(String(first())) };`;
  await build({ stdin: { contents, resolveDir: folder }, outfile: join(out, 'main.js'), bundle: true, minify: true, format: 'esm', conditions: ['workerd', 'import'], platform: 'neutral', mainFields: ['module', 'main'], plugins: [compiled] });
  const modules = [...files].map((file) => `(name = "${file}", wasm = embed "${file}")`);
  const port = await freePort();
  writeFileSync(join(out, 'config.capnp'), `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .worker)], sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]);
const worker :Workerd.Worker = (modules = [(name = "main.js", esModule = embed "main.js"), ${modules.join(', ')}], compatibilityDate = "2026-04-01");
`);
  return { out, url: `http://127.0.0.1:${port}` };
}

async function answered({ out, url }) {
  const start = performance.now();
  const child = spawn(workerd, ['serve', join(out, 'config.capnp')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  child.stderr.on('data', (chunk) => (told += chunk));
  const gone = new Promise((resolve) => child.once('close', resolve));
  try {
    for (;;) {
      const status = await statusOf(url);
      if (status === 200) return performance.now() - start;
      if (child.exitCode !== null || status !== undefined) throw new Error(`workerd did not answer: ${told}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  } finally {
    child.kill('SIGKILL');
    await gone;
  }
}

/** Undefined where nobody listens yet. Each time on a connection of its own: the port is taken by one process after another. */
function statusOf(url) {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 10_000 }, (response) => response.resume().once('end', () => resolve(response.statusCode)));
    request.once('error', () => resolve(undefined));
    request.once('timeout', () => resolve(408));
  });
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const places = { 'Node, CPU time': inNode, Chromium: inChromium, 'workerd, more than an empty Worker': inWorkerd };
const rows = [];
await inFreshFolder(async (folder) => {
  for (const name of names) writeFileSync(join(folder, entryOf(name)), PACKAGES[name].code);
  for (const [place, measured] of Object.entries(places)) {
    for (const [name, ms] of Object.entries(await measured(folder))) {
      const goal = place.startsWith('Node') && name === names[0] ? shown(GOAL_MS * 1e6) : '–';
      rows.push([name, place, shown(ms * 1e6), goal]);
    }
  }
});
write({ title: 'Starting: from the import to the first answer in a fresh process, median', columns: ['package', 'in', 'measured', 'goal'], rows });
