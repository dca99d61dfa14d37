// The quickstarts in README, as they stand there, each against a server that refuses what does not fit its window.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { cellOf, FRESH, packageFolder, start } from './support/cell.mjs';
import { browserOf, openTab, serve } from './support/page.mjs';
import { longMessage, MESSAGES, provider } from './support/provider.mjs';

const quickstart = (name) => join(process.env.REPOSITORY, 'pkg/examples/quickstart', name);
let model;
beforeEach(async () => {
  model = await provider();
});
afterEach(() => model.close());

/** All calls were answered, although all messages together do not fit: at least one was summarised. */
function expectCompacted() {
  const calls = model.prompts.filter(({ summarises }) => !summarises);
  assert.equal(calls.length, MESSAGES);
  assert.ok(calls.every(({ prompt_tokens }) => prompt_tokens <= 128_000));
  assert.ok(model.prompts.length > calls.length, 'a summary was asked for');
}

/** Sends one message after the other to a route that answers with a message. */
async function converse(url, server) {
  const messages = [];
  for (let i = 0; i < MESSAGES; i++) {
    messages.push({ role: 'user', content: longMessage(i) });
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ id: 'one', messages }) });
    assert.equal(response.status, 200, server.printed());
    messages.push(await response.json());
  }
}

test('the quickstart for Node talks past its window', async () => {
  const folder = cellOf('node');
  copyFileSync(quickstart('node.mjs'), join(folder, 'chat.mjs'));
  const chat = start(folder, process.execPath, ['chat.mjs'], { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'key' }, 'pipe');
  for (let i = 0; i < MESSAGES; i++) chat.child.stdin.write(`${longMessage(i)}\n`);
  chat.child.stdin.end();
  const code = await new Promise((resolve) => chat.child.once('close', resolve));
  assert.equal(code, 0, chat.printed());
  expectCompacted();
});

test('the quickstart for a page talks past its window', async () => {
  const folder = cellOf('script');
  copyFileSync(quickstart('browser.html'), join(folder, 'index.html'));
  const site = await serve({ '/node_modules/': join(FRESH, 'node_modules/'), '/': folder }, { '/v1/chat/completions': model.route });
  const chromium = await browserOf('Chromium');
  try {
    const page = await openTab(chromium.browser);
    await page.goto(site.url);
    for (let i = 0; i < MESSAGES; i++) {
      await page.evaluate((text) => {
        document.querySelector('pre').textContent = '';
        document.querySelector('input').value = text;
        document.querySelector('form').requestSubmit();
      }, longMessage(i));
      await page.waitForFunction(() => document.querySelector('pre').textContent);
    }
    expectCompacted();
  } finally {
    await chromium.end();
    site.close();
  }
});

test('the quickstart for Next.js talks past its window', async () => {
  const folder = cellOf('next');
  mkdirSync(join(folder, 'app/chat'));
  copyFileSync(quickstart('next-route.js'), join(folder, 'app/chat/route.js'));
  const args = [join(packageFolder('next'), 'dist/bin/next'), 'dev', '--hostname', '127.0.0.1', '--port', '0'];
  const server = start(folder, process.execPath, args, { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'key' });
  try {
    const [, url] = await server.said(/(http:\/\/127\.0\.0\.1:\d+)/);
    await converse(`${url}/chat`, server);
    expectCompacted();
  } finally {
    await server.stop();
  }
});

test('the quickstart for a Worker talks past its window', async () => {
  const folder = cellOf('wrangler');
  copyFileSync(quickstart('worker.js'), join(folder, 'worker.js'));
  const args = ['dev', 'worker.js', '--compatibility-date', '2024-09-23', '--ip', '127.0.0.1', '--port', '0', '--inspector-port', '0', '--show-interactive-dev-session=false', '--var', `OPENAI_BASE_URL:${model.url}`];
  const server = start(folder, process.execPath, [join(packageFolder('wrangler'), 'bin/wrangler.js'), ...args]);
  try {
    const [, url] = await server.said(/Ready on (http:\/\/127\.0\.0\.1:\d+)/);
    await converse(url, server);
    expectCompacted();
  } finally {
    await server.stop();
  }
});
