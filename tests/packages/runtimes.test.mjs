import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { cellOf, EXPECTED, inPackage, run, seen, versionOf } from './support/cell.mjs';

const release = process.version.slice(1);
/** The program of the first of these packages that this platform has. */
const program = (packages, file) => {
  const found = packages.find((name) => existsSync(new URL(`../../node_modules/${name}`, import.meta.url)));
  assert.ok(found, `none of ${packages.join(', ')} is for this platform`);
  return { name: found, path: inPackage(found, file) };
};

test('Node imports it and requires it, each without configuration', async () => {
  const folder = cellOf('node');
  for (const [how, file] of [['import', 'import.mjs'], ['require', 'require.cjs']]) {
    assert.equal((await run(folder, process.execPath, [file])).trim(), EXPECTED);
    seen('Node', release, how, 'Node');
  }
});

test('Deno imports it without a permission', async () => {
  const { name, path } = program(['@deno/linux-x64-glibc', '@deno/linux-arm64-glibc', '@deno/darwin-arm64'], 'deno');
  assert.equal((await run(cellOf('deno'), path, ['run', '--no-prompt', '--no-remote', 'main.mjs'], { DENO_NO_UPDATE_CHECK: '1' })).trim(), EXPECTED);
  seen('Deno', versionOf(name), 'import, no permissions', 'Deno');
});

test('Bun imports it', async () => {
  const { name, path } = program(['@oven/bun-linux-x64', '@oven/bun-linux-aarch64', '@oven/bun-darwin-aarch64'], 'bin/bun');
  assert.equal((await run(cellOf('bun'), path, ['run', 'main.mjs'])).trim(), EXPECTED);
  seen('Bun', versionOf(name), 'import', 'Bun');
});
