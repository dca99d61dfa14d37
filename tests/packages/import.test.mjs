import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

test('a plain import in Node finds the installed package, not the checkout', async () => {
  const entry = fileURLToPath(import.meta.resolve('compaction-governor'));
  assert.ok(!realpathSync(entry).startsWith(realpathSync(process.env.REPOSITORY)), 'the installed copy is tested');
  await import('compaction-governor');
});

test('the installed package tells no path of the machine that built it', () => {
  const text = readFileSync(fileURLToPath(import.meta.resolve('compaction-governor')), 'latin1');
  assert.ok(!text.includes(`${process.env.HOME}/`));
});

test('the installed package compacts a conversation once and reads it back', async () => {
  const { memory, openSession } = await import('compaction-governor');
  const summarize = async () => 'Goal: count the entries. Done: eleven of them were read. Open: the twelfth.';
  const session = openSession({ id: 'packed', store: memory(), contextWindow: 4_096, summarize });
  const messages = Array.from({ length: 32 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `${i} `.padEnd(700, 'entry ') }));
  const step = await session.prepare(messages);
  assert.equal(step.compacted, true, step.decision.sentence);
  assert.ok(step.messages.length < messages.length);
  assert.equal(session.history()[0]?.summary, await summarize());
  await session.close();
});

test('the installed package brings its terminal tool, its text and its licences', () => {
  const folder = fileURLToPath(new URL('..', import.meta.resolve('compaction-governor')));
  for (const file of ['README.md', 'LICENSE-MIT', 'LICENSE-APACHE']) assert.ok(existsSync(`${folder}/${file}`), file);
  const shown = spawnSync('npx', ['--no-install', 'compaction-governor', '--version'], { encoding: 'utf8', shell: process.platform === 'win32' });
  assert.equal(shown.status, 0, shown.stderr);
  assert.match(shown.stdout, /\d+\.\d+\.\d+/);
});
