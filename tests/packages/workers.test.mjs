import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { cellOf, EXPECTED, packageFolder, seen, start, versionOf } from './support/cell.mjs';

// A date before Workers could compile anything at their start: there, only the entry for them runs.
test('a Worker under wrangler imports it', async () => {
  const args = ['dev', 'worker.js', '--compatibility-date', '2024-09-23', '--ip', '127.0.0.1', '--port', '0', '--inspector-port', '0', '--show-interactive-dev-session=false'];
  const server = start(cellOf('wrangler'), process.execPath, [join(packageFolder('wrangler'), 'bin/wrangler.js'), ...args]);
  try {
    const [, url] = await server.said(/Ready on (http:\/\/127\.0\.0\.1:\d+)/);
    const response = await fetch(url);
    assert.equal(await response.text(), EXPECTED, server.printed());
    seen('wrangler', versionOf('wrangler'), 'dev, no configuration', 'workerd');
  } finally {
    await server.stop();
  }
});
