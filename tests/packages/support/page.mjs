// A real browser and sites for it, shared by the cells of one test file; both come from the checkout's own page tests.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EXPECTED } from './cell.mjs';

const support = (file) => import(pathToFileURL(join(process.env.REPOSITORY, 'tests/e2e/support', file)).href);
const { engines, openTab, Running } = await support('browsers.mjs');
export { openTab };
export const { serve } = await support('site.mjs');

/** `'Chromium'` or `'Firefox'`. */
export const browserOf = (name) => Running.start(engines.find((engine) => engine.name === name));

/** Opens the address and waits for the talk to have ended; it is shown as the title, or in an element. */
export async function expectTalk(running, url, element) {
  const page = await openTab(running.browser);
  try {
    await page.goto(url);
    const shown = element ? (at) => document.querySelector(at)?.textContent : () => document.title;
    const told = await page.waitForFunction((expected, at) => {
      const text = at ? document.querySelector(at)?.textContent : document.title;
      return text === expected || /Error|refused/.test(text) ? text : undefined;
    }, { timeout: 60_000 }, EXPECTED, element).then((handle) => handle.jsonValue(), async (error) => `${error}, shown ${await page.evaluate(shown, element)}`);
    assert.equal(told, EXPECTED, page.mishaps.join('\n'));
    assert.deepEqual(page.mishaps.filter((mishap) => !mishap.includes('favicon') && !mishap.includes('404')), []);
  } finally {
    await page.close();
  }
}
