// What a long transcript takes of the WebAssembly's memory: measured there, since no list can say what an allocator and
// lists that were moved leave behind.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import bytes from '../src/boundary/bytes.js';
import { Core, CoreSettings, StoreHandle, initSync } from '../src/boundary/glue.js';
import { memoryOf } from './memory.js';

const ENTRIES = 100_000;
const MOST_BYTES_PER_ENTRY = 32;
const ALONE = 0xffff_ffff;

test('an entry takes at most 32 bytes of memory, in talk that is nothing but boundaries and turns', () => {
  const size = memoryOf(initSync({ module: bytes }));
  const core = new Core('memory', StoreHandle.memory(), new CoreSettings(), 1, 1);
  const before = size();
  for (let at = 0; at < ENTRIES; at++) core.push(at, 7, at % 2 ? 2 : 1, 0, 300, ALONE, 0, 1_200);
  core.shouldCompact(1);
  const taken = (size() - before) / ENTRIES;
  assert.equal(core.entryCount(), ENTRIES);
  assert.ok(taken <= MOST_BYTES_PER_ENTRY, `${taken} bytes per entry`);
});
