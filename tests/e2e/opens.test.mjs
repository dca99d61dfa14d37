import assert from 'node:assert/strict';
import { test } from 'node:test';
import puppeteer from 'puppeteer-core';

const { PAGE_URL, CHROMIUM, FIREFOX } = process.env;
const quiet = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const browsers = {
  Chromium: { browser: 'chrome', executablePath: CHROMIUM, args: quiet },
  Firefox: { browser: 'firefox', executablePath: FIREFOX },
};

for (const [name, options] of Object.entries(browsers)) {
  test(`the page opens in ${name} without an error`, async () => {
    const browser = await puppeteer.launch({ headless: true, ...options });
    try {
      const page = await browser.newPage();
      const errors = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      const reply = await page.goto(PAGE_URL);
      assert.equal(reply.status(), 200);
      await page.waitForFunction(() => !document.body.textContent.includes('loading'));
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
    }
  });
}
