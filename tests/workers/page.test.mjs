// The page of the chat Worker, served by wrangler from its own file, and a person who talks to it.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { engines, openTab, Running } from '../e2e/support/browsers.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const wrangler = join(root, 'node_modules/.bin/wrangler');
const config = ['--config', 'www/worker/wrangler.jsonc'];
const environment = { cwd: root, env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: '1' } };
const folder = await mkdtemp(join(tmpdir(), 'compaction-governor-page-'));
after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function freePort() {
  const taken = createServer();
  await new Promise((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address();
  await new Promise((resolve) => taken.close(resolve));
  return port;
}

async function served() {
  const port = await freePort();
  const process = spawn(wrangler, ['dev', ...config, '--ip', '127.0.0.1', '--port', String(port), '--persist-to', folder], { ...environment, stdio: ['ignore', 'pipe', 'inherit'] });
  after(() => new Promise((resolve) => {
    process.once('exit', resolve);
    process.kill('SIGTERM');
  }));
  await new Promise((resolve, reject) => {
    process.once('exit', (code) => reject(new Error(`wrangler ended with ${code}`)));
    process.stdout.on('data', (text) => String(text).includes('Ready on') && resolve());
  });
  return `http://127.0.0.1:${port}/`;
}

test('the page talks to its object over a WebSocket and by events, tells of a compaction, and a reload goes on', { timeout: 120_000 }, async () => {
  const address = await served();
  const running = await Running.start(engines[0]);
  after(() => running.end());
  const page = await openTab(running.browser);
  await page.goto(address);
  await page.waitForSelector('#send:not(:disabled)');
  const texts = (role) => page.$$eval(`li.${role}`, (items) => items.map((item) => item.textContent));
  const say = async (text) => {
    const before = (await texts('assistant')).length;
    await page.$eval('#text', (field, value) => (field.value = value), text);
    await page.click('#send:not(:disabled)');
    const answer = `You said: ${text.slice(0, 390)}`;
    await page.waitForFunction((count, start) => [...document.querySelectorAll('li.assistant')].slice(count).some((item) => item.textContent.startsWith(start)), {}, before, answer);
  };
  await say('hello');
  await page.waitForFunction(() => document.getElementById('full').textContent.endsWith('0 compactions') && document.getElementById('meter').value > 0);
  await page.click('#events');
  for (let n = 0; n < 10; n += 1) await say(`message ${n} ${'lorem ipsum '.repeat(120)}`);
  assert.ok((await texts('notice')).includes('compaction: completed'));
  const answers = await texts('assistant');
  await page.reload();
  await page.waitForFunction(() => /[1-9] compactions$/.test(document.getElementById('full').textContent));
  assert.deepEqual(await texts('assistant'), answers);
  assert.deepEqual(page.mishaps, []);
});

test('what wrangler would deploy holds the WebAssembly as a module', { timeout: 120_000 }, async () => {
  const out = join(folder, 'deployed');
  await promisify(execFile)(wrangler, ['deploy', ...config, '--dry-run', '--outdir', out], environment);
  const script = await readFile(join(out, 'index.js'), 'utf8');
  const [, wasm] = /from "\.\/([\w-]+compaction_governor_bg\.wasm)"/.exec(script) ?? [];
  assert.deepEqual(await readFile(join(out, wasm)), await readFile(join(root, 'pkg/dist/wasm/compaction_governor_bg.wasm')));
});
