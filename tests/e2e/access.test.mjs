// The page for everyone: keyboard, phone, light and dark, and what axe-core finds.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import axe from 'axe-core';
import { engines, openTab, Running } from './support/browsers.mjs';
import { outcome, panel, panels, settled, visit } from './support/panels.mjs';
import { pageSite } from './support/site.mjs';

/** Firefox takes the scheme from a setting of its profile: 0 is dark, 1 is light. */
const schemes = { light: { 'layout.css.prefers-color-scheme.content-override': 1 }, dark: { 'layout.css.prefers-color-scheme.content-override': 0 } };

for (const engine of engines) {
  for (const [scheme, extraPrefsFirefox] of Object.entries(schemes)) {
    test(`axe-core finds nothing in ${scheme} in ${engine.name}`, async () => {
      const site = await pageSite();
      const running = await Running.start(engine, engine.name === 'Firefox' ? { extraPrefsFirefox } : {});
      try {
        const page = await openTab(running.browser);
        if (engine.name === 'Chromium') await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await visit(page, site.url);
        assert.equal(await page.evaluate((wanted) => matchMedia(`(prefers-color-scheme: ${wanted})`).matches, scheme), true);
        await page.$eval('#right summary', (summary) => summary.click());
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
        assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`), []);
      } finally {
        await running.end();
        site.close();
      }
    });
  }

  describe(`without a mouse in ${engine.name}`, () => {
    let site;
    let running;
    let context;
    let page;

    before(async () => {
      site = await pageSite();
      running = await Running.start(engine);
    });
    after(async () => {
      await running?.end();
      site?.close();
    });

    async function firstVisit() {
      await context?.close();
      context = await running.browser.createBrowserContext();
      page = await openTab(context);
      await visit(page, site.url);
    }

    /** Tabs until the control with this name has the focus. */
    async function tabTo(name) {
      for (let stops = 0; stops < 40; stops += 1) {
        await page.keyboard.press('Tab');
        if ((await focused()).includes(name)) return;
      }
      assert.fail(`Tab never reached ${name}`);
    }

    const focused = () => page.evaluate(() => {
      const { activeElement: at, body } = document;
      if (at === body) return '';
      return [at.getAttribute('aria-label'), at.labels?.[0]?.textContent, at.textContent].filter(Boolean).join(' ');
    });

    test('reload is the first stop and the largest control, and Enter presses it', async () => {
      await firstVisit();
      await page.keyboard.press('Tab');
      assert.equal(await focused(), 'Reload this page');
      const areas = await page.$$eval('.controls button, .controls .button, .controls select', (all) => all.map((one) => one.offsetWidth * one.offsetHeight));
      assert.equal(Math.max(...areas), areas[0]);
      const before = await panels(page);
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      await settled(page);
      const now = await panels(page);
      assert.equal(now.left.paid, 2 * before.left.paid);
      assert.equal(now.right.deadline, before.right.deadline);
    });

    test('every control is reached by Tab, shows that it is, and does its work', async () => {
      await firstVisit();
      await tabTo('Compact now');
      assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
      await page.keyboard.press('Enter');
      assert.match(await outcome(page), /^Compact now/);

      await tabTo('Free the fixed part');
      await page.keyboard.press(' ');
      assert.match(await outcome(page), /^Files dropped/);
      assert.equal((await panel(page, 'right')).state, 'normal');

      await tabTo('Summary');
      await page.keyboard.type('f');
      assert.match(await outcome(page), /summariser fails/);

      await tabTo('Message to both chats');
      await page.keyboard.type('By hand only.');
      await page.keyboard.press('Enter');
      assert.match(await outcome(page), /^Sent/);

      await tabTo('Play 5 turns');
      await page.keyboard.press('Enter');
      assert.match(await outcome(page), /^Played/);

      await tabTo('Wipe and start over');
      await page.keyboard.press('Enter');
      assert.match(await outcome(page), /^Wiped/);

      await tabTo('Store of the left chat');
      await page.keyboard.type('l');
      await settled(page);
      assert.equal(await page.$eval('#left-store', (select) => select.value), 'localStorage');

      await tabTo('Last decisions');
      await tabTo('The root record, decoded');
      await page.keyboard.press('Enter');
      assert.equal(await page.$eval('#left details', (details) => details.open), true);
    });

    test('Enter opens the second tab', async () => {
      await firstVisit();
      await tabTo('Open a second tab');
      const opened = new Promise((resolve) => running.browser.once('targetcreated', resolve));
      await page.keyboard.press('Enter');
      const second = await (await opened).page();
      await settled(second);
      assert.equal((await panel(second, 'right')).state, 'paused');
    });

    test('what is announced is the outcome of an action, never the countdown', async () => {
      await firstVisit();
      const live = await page.$$eval('[aria-live], [role=status], [role=alert], output', (all) => all.map((one) => one.className));
      assert.deepEqual(live, ['outcome']);
      const said = await page.$eval('.outcome', (element) => element.textContent);
      await page.waitForFunction((wait) => document.querySelector('#right .wait').textContent !== wait, {}, (await panel(page, 'right')).wait);
      assert.equal(await page.$eval('.outcome', (element) => element.textContent), said);
    });

    test('a phone shows all of it without scrolling sideways', async () => {
      await firstVisit();
      await page.setViewport({ width: 360, height: 780 });
      const { wide, window: width } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, window: innerWidth }));
      assert.ok(wide <= width, `${wide} in ${width}`);
      const small = await page.$$eval('button, .button, select, input', (all) => all.filter((one) => one.offsetHeight < 32).map((one) => one.textContent));
      assert.deepEqual(small, [], 'controls are large enough for a finger');
    });
  });
}
