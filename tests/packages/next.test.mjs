import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cellOf, EXPECTED, packageFolder, seen, start, tool, versionOf } from './support/cell.mjs';
import { browserOf, expectTalk } from './support/page.mjs';

const version = versionOf('next');
let server;
let url;

before(async () => {
  const folder = cellOf('next');
  await tool(folder, 'next', 'dist/bin/next', ['build']);
  server = start(folder, process.execPath, [join(packageFolder('next'), 'dist/bin/next'), 'start', '--hostname', '127.0.0.1', '--port', '0']);
  [, url] = await server.said(/(http:\/\/127\.0\.0\.1:\d+)/);
  await server.said(/Ready/);
});
after(() => server?.stop());

async function answer(path) {
  const response = await fetch(`${url}${path}`);
  assert.equal(response.status, 200, server.printed());
  return response.text();
}

test('a server component of Next.js uses it', async () => {
  assert.ok((await answer('/')).includes(`<p id="told">${EXPECTED}</p>`));
  seen('Next.js', version, 'server component', 'Node');
});

test('a route of Next.js in Node uses it', async () => {
  assert.equal(await answer('/node'), EXPECTED);
  seen('Next.js', version, 'route, Node', 'Node');
});

test('a route of Next.js on the edge uses it', async () => {
  assert.equal(await answer('/edge'), EXPECTED);
  seen('Next.js', version, 'route, edge', 'edge sandbox');
});

test('a client component of Next.js uses it', async () => {
  const chromium = await browserOf('Chromium');
  try {
    await expectTalk(chromium, `${url}/client`, '#told');
    seen('Next.js', version, 'client component', 'Chromium');
  } finally {
    await chromium.end();
  }
});
