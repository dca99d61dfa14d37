import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FRESH, run } from './support/cell.mjs';

const { REPOSITORY } = process.env;
const folder = join(FRESH, 'node_modules/compaction-governor');
const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const tarballIn = (place) => join(place, readdirSync(place).find((name) => name.endsWith('.tgz')));

test('there is one WebAssembly file, and every entry brings that one to the byte', () => {
  const [file, ...others] = files.filter((name) => name.endsWith('.wasm'));
  assert.deepEqual(others, []);
  const bytes = readFileSync(file);
  const inline = ['index.js', 'index.cjs'].map((name) => /\("(AGFzbQ[^"]+)"\)/.exec(readFileSync(join(folder, 'dist', name), 'utf8'))?.[1]);
  for (const text of inline) assert.equal(sha256(Buffer.from(text ?? '', 'base64')), sha256(bytes));
  for (const name of ['workerd.js', 'edge-light.js', 'cli.js']) assert.ok(readFileSync(join(folder, 'dist', name), 'utf8').includes('./wasm/compaction_governor_bg.wasm'), name);
  const carriers = files.filter((name) => !/conformance|index|\.wasm$/.test(name) && readFileSync(name, 'latin1').includes('AGFzbQ'));
  assert.deepEqual(carriers, [], 'no other file carries one');
});

test('no file names a folder of the machine that built it', () => {
  for (const name of files) {
    const text = readFileSync(name, 'latin1');
    for (const place of [homedir(), REPOSITORY]) assert.ok(!text.includes(`${place}/`), name);
  }
});

test('the same tarball comes out of two folders, to the byte', async () => {
  const hashes = [];
  for (const depth of ['a', 'another/one']) {
    const root = mkdtempSync(join(tmpdir(), 'compaction-governor-packed-'));
    try {
      const copy = join(root, depth);
      mkdirSync(copy, { recursive: true });
      for (const name of ['README.md', 'LICENSE-MIT', 'LICENSE-APACHE']) cpSync(join(REPOSITORY, name), join(copy, name));
      for (const name of ['bin', 'src', 'dist/wasm', 'build.mjs', 'package.json', 'tsconfig.json']) cpSync(join(REPOSITORY, 'pkg', name), join(copy, 'pkg', name), { recursive: true });
      symlinkSync(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
      await run(join(copy, 'pkg'), process.execPath, ['build.mjs']);
      await run(join(copy, 'pkg'), 'npm', ['pack', '--pack-destination', root]);
      hashes.push(sha256(readFileSync(tarballIn(root))));
    } finally {
      rmSync(root, { recursive: true });
    }
  }
  assert.deepEqual(hashes, Array(2).fill(sha256(readFileSync(tarballIn(FRESH)))));
});
