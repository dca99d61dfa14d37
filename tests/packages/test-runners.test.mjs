import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellOf, seen, tool, versionOf } from './support/cell.mjs';

const jest = (spec, env) => tool(cellOf('jest'), 'jest', 'bin/jest.js', [spec, '--no-cache'], env);

test('Jest requires it', async () => {
  assert.match(await jest('require.spec.cjs'), /Tests: +1 passed, 1 total/);
  seen('Jest', versionOf('jest'), 'require', 'Node');
});

test('Jest imports it', async () => {
  assert.match(await jest('import.spec.mjs', { NODE_OPTIONS: '--experimental-vm-modules' }), /Tests: +1 passed, 1 total/);
  seen('Jest', versionOf('jest'), 'import', 'Node');
});

test('Vitest imports it', async () => {
  assert.match(await tool(cellOf('vitest'), 'vitest', 'vitest.mjs', ['run']), /Tests +1 passed \(1\)/);
  seen('Vitest', versionOf('vitest'), 'import', 'Node');
});
