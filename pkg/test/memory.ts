// How much memory a WebAssembly instance has, for tests that measure it.

import assert from 'node:assert/strict';

/** How many bytes of memory the module has, asked anew each time: growing replaces the buffer. */
export function memoryOf(exports: unknown): () => number {
  assert.ok(typeof exports === 'object' && exports !== null && 'memory' in exports);
  const { memory } = exports;
  assert.ok(typeof memory === 'object' && memory !== null);
  return () => ('buffer' in memory && memory.buffer instanceof ArrayBuffer ? memory.buffer.byteLength : assert.fail('no memory'));
}
