// The example for Redis against a server of its own, with an append-only file: killed, and started again on what it kept.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openSession } from 'compaction-governor';
import { checkStore } from 'compaction-governor/conformance';
import { build } from 'esbuild';
import { createClientPool } from 'redis';
import { seen } from '../e2e/support/promises.mjs';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const example = at('node_modules/.cache/compaction-governor/redis-store.mjs');
await build({ entryPoints: [at('pkg/examples/redis-store.ts')], outfile: example, bundle: true, format: 'esm', external: ['compaction-governor'] });
const { redisStore } = await import(example);

const folder = await mkdtemp(join(tmpdir(), 'compaction-governor-redis-'));
const port = await freePort();
let server = await start();
const pool = await createClientPool({ socket: { port, host: '127.0.0.1', reconnectStrategy: 50 } }).on('error', () => undefined).connect();
after(async () => {
  pool.destroy();
  await ended(server, 'SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

/** Answers when the server does. */
async function start() {
  const started = spawn(process.env.REDIS_SERVER ?? 'redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    started.on('error', reject);
    started.on('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
    started.stdout.on('data', (text) => /Ready to accept connections/.test(String(text)) && resolve());
  });
  return started;
}

function ended(process, signal) {
  return new Promise((resolve) => {
    process.once('exit', resolve);
    process.kill(signal);
  });
}

function freePort() {
  return new Promise((resolve) => {
    const taken = createServer().listen(0, '127.0.0.1', () => {
      const { port } = taken.address();
      taken.close(() => resolve(port));
    });
  });
}

test('the example for Redis keeps the whole contract on a real server, and leaves nothing behind', async () => {
  const report = await checkStore((name) => redisStore(pool, name));
  seen({ store: 'Redis (example)', place: 'a real server', promise: 'contract', kept: report.held, of: report.clauses.length - report.notDeclared });
  assert.deepEqual(report.clauses.filter(({ status }) => status === 'broken'), []);
  assert.ok(report.held >= 36, `${report.held} held`);
  assert.equal(await pool.dbSize(), 0);
});

test('a conversation in Redis survives a kill of the server', async () => {
  const options = { id: 'chat', contextWindow: 4_096, summarize: async () => 'The user counts aloud. All was answered. Next: go on.' };
  const messages = Array.from({ length: 24 }, (_, n) => ({ role: n % 2 ? 'assistant' : 'user', content: `${n} ${'lorem ipsum '.repeat(58)}` }));
  const session = openSession({ ...options, store: redisStore(pool) });
  assert.equal((await session.prepare(messages)).compacted, true);
  await ended(server, 'SIGKILL');
  server = await start();
  const again = openSession({ ...options, store: redisStore(pool) });
  const { found, durability } = await again.ready;
  seen({ store: 'Redis (example)', place: 'a real server', promise: 'browser_kill', kept: Number(found === 'existing'), of: 1 });
  assert.deepEqual([found, durability, again.history()], ['existing', 'durable', session.history()]);
});
