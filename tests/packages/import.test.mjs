import assert from 'node:assert/strict';
import { readFileSync, realpathSync } from 'node:fs';
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
