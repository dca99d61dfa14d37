import assert from 'node:assert/strict';
import { test } from 'node:test';
import { module } from '../dist/index.js';

test('the built entry carries a compiled module', () => {
  assert.ok(module instanceof WebAssembly.Module);
});
