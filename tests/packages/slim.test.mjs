import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { talk } from './consumers/talk.js';
import { EXPECTED } from './support/cell.mjs';

test('the slim entry says what it lacks, refuses another file by name, and runs on the raw one', async () => {
  const slim = await import('compaction-governor/slim');
  assert.throws(() => slim.openSession({ id: 'early', store: slim.memory() }), { code: 'not_started' });
  assert.throws(() => slim.decodeRecord(new Uint8Array(), 'early'), { code: 'not_started' });
  assert.throws(() => slim.initSync(new Uint8Array(8)), { code: 'wasm_failed' });
  await assert.rejects(slim.init(Promise.resolve(new Uint8Array(8))), { code: 'wasm_failed' });
  const file = await readFile(fileURLToPath(import.meta.resolve('compaction-governor/wasm')));
  await slim.init(WebAssembly.compile(file));
  assert.equal(await talk(slim), EXPECTED);
  slim.initSync(file);
});
