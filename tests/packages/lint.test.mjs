import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FRESH, inPackage, run, seen, tool, versionOf } from './support/cell.mjs';

const tarball = readdirSync(FRESH).find((name) => name.endsWith('.tgz'));

test('publint finds nothing to say about the tarball', async () => {
  const script = "import { publint } from 'publint'; import { formatMessage } from 'publint/utils'; import { readFileSync } from 'node:fs'; const { messages, pkg } = await publint({ pack: { tarball: readFileSync(process.argv[1]).buffer }, strict: true }); console.log(JSON.stringify(messages.map((message) => formatMessage(message, pkg))));";
  const told = await run(FRESH, process.execPath, ['--input-type=module', '-e', script, join(FRESH, tarball)]);
  assert.deepEqual(JSON.parse(told), []);
  seen('publint', versionOf('publint'), 'strict', 'tarball');
});

test('the types are right for whoever imports and whoever requires', async () => {
  const attw = (...args) => tool(FRESH, '@arethetypeswrong/cli', 'dist/index.js', [tarball, ...args]);
  const { exports } = JSON.parse(readFileSync(inPackage('compaction-governor', 'package.json'), 'utf8'));
  const typed = Object.keys(exports).filter((entry) => typeof exports[entry] === 'object');
  const both = typed.filter((entry) => exports[entry].require);
  assert.ok(both.includes('.'));
  await attw('--profile', 'node16', '--entrypoints', ...both);
  // Some can be imported only: the suite, and adapters of packages of that kind.
  await attw('--profile', 'esm-only', '--entrypoints', ...typed.filter((entry) => !both.includes(entry)));
  seen('arethetypeswrong', versionOf('@arethetypeswrong/cli'), 'import and require', 'tarball');
});
