import { after, before, test } from 'node:test';
import { join } from 'node:path';
import { cellOf, FRESH, packageFolder, run, seen, start, tool, versionOf } from './support/cell.mjs';
import { browserOf, expectTalk, serve } from './support/page.mjs';

let chromium;
before(async () => {
  chromium = await browserOf('Chromium');
});
after(() => chromium?.end());

/** Serves a folder and expects the talk in it. */
async function served(folder, place = folder) {
  const site = await serve({ '/': place });
  await expectTalk(chromium, site.url).finally(() => site.close());
}

test('a plain script in a page imports it, in Chromium and in Firefox', async () => {
  const site = await serve({ '/node_modules/': join(FRESH, 'node_modules/'), '/': cellOf('script') });
  const firefox = await browserOf('Firefox');
  try {
    for (const browser of [chromium, firefox]) {
      await expectTalk(browser, site.url);
      seen('plain script', '–', '`<script type="module">`', browser.engine.name);
    }
  } finally {
    await firefox.end();
    site.close();
  }
});

test('esbuild bundles it for a page', async () => {
  const folder = cellOf('bundle');
  await run(folder, join(packageFolder('esbuild'), 'bin/esbuild'), ['main.js', '--bundle', '--format=esm', '--outfile=out.js']);
  await served(folder);
  seen('esbuild', versionOf('esbuild'), 'bundle', 'Chromium');
});

test('rollup bundles it for a page', async () => {
  const folder = cellOf('bundle');
  await tool(folder, 'rollup', 'dist/bin/rollup', ['main.js', '--plugin', 'node-resolve', '--format', 'es', '--file', 'out.js']);
  await served(folder);
  seen('rollup', versionOf('rollup'), 'bundle', 'Chromium');
});

test('webpack bundles it for a page', async () => {
  const folder = cellOf('bundle');
  const script = "require('webpack')({ context: process.cwd(), mode: 'production', entry: './main.js', output: { path: process.cwd(), filename: 'out.js' } }, (error, stats) => { if (error || stats.hasErrors()) { console.error(error ?? stats.toString()); process.exitCode = 1; } });";
  await run(folder, process.execPath, ['-e', script]);
  await served(folder);
  seen('webpack', versionOf('webpack'), 'bundle', 'Chromium');
});

for (const vite of ['vite', 'vite-7']) {
  test(`${vite} builds it for a page`, async () => {
    const folder = cellOf('vite');
    await tool(folder, vite, 'bin/vite.js', ['build']);
    await served(folder, join(folder, 'dist'));
    seen('Vite', versionOf(vite), 'build', 'Chromium');
  });

  test(`${vite} serves it to a page in development`, async () => {
    const server = start(cellOf('vite'), process.execPath, [join(packageFolder(vite), 'bin/vite.js'), '--host', '127.0.0.1', '--port', '0']);
    try {
      const [, url] = await server.said(/(http:\/\/127\.0\.0\.1:\d+\/)/);
      await expectTalk(chromium, url);
      seen('Vite', versionOf(vite), 'dev', 'Chromium');
    } finally {
      await server.stop();
    }
  });
}
