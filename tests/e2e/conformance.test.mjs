// The public suite as a page runs it in its visitor's browser: the real stores, in under ten seconds each.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { engines, openTab, Running } from './support/browsers.mjs';
import { seen } from './support/promises.mjs';
import { here, serve } from './support/site.mjs';

/** What each store does not declare; everything else it keeps. */
const STORES = {
  indexedDb: ['a look into the quarantine'],
  localStorageStore: ['compare_and_swap: linearizable', 'calls that wait', 'a look into the quarantine'],
  memory: ['survives: reload', 'calls that wait', 'max_value_bytes', 'a way to damage it'],
  injected: [],
};

for (const engine of engines) {
  describe(`the conformance suite in ${engine.name}`, () => {
    let site;
    let running;
    let page;

    before(async () => {
      site = await serve({ '/package/': here('pkg/dist'), '/': here('tests/e2e/support') });
      running = await Running.start(engine);
      page = await openTab(running.browser);
      await page.goto(`${site.url}suite.html`);
      await page.waitForFunction(() => window.suite);
    });
    after(async () => {
      await running?.end();
      site?.close();
    });

    for (const [store, undeclared] of Object.entries(STORES)) {
      test(`${store} keeps every clause that it declares, in less than ten seconds`, async (context) => {
        const report = await page.evaluate((store) => window.suite.check(store), store);
        context.diagnostic(`${report.held} of ${report.clauses.length} clauses in ${Math.round(report.totalMs)} ms`);
        const asked = report.clauses.length - report.notDeclared;
        seen({ store, place: engine.name, promise: 'contract', kept: report.held, of: asked });
        const notHeld = report.clauses.filter(({ status }) => status !== 'held');
        assert.equal(notHeld.filter(({ status }) => status === 'broken').map(({ clause, sentence }) => `${clause}: ${sentence}`).join('\n'), '');
        const missing = new Set(notHeld.map(({ sentence }) => sentence.replace('the store does not declare: ', '')));
        assert.deepEqual([...missing].sort(), [...undeclared].sort());
        assert.ok(asked >= 30, String(asked));
        assert.ok(report.totalMs < 10_000, `${report.totalMs} ms`);
      });
    }

    test('a store that loses what it acknowledged is broken at that clause, and the page lives on', async () => {
      const report = await page.evaluate(() => window.suite.check('forgetful', { clauses: ['two_sessions_isolated', 'reopen_sees_last_ack', 'absent_load_is_none'] }));
      assert.deepEqual(report.clauses.map(({ status }) => status), ['held', 'broken', 'held']);
      assert.deepEqual(page.mishaps, []);
    });

    test('nothing is left behind', async () => {
      assert.deepEqual(await page.evaluate(() => window.suite.left()), { databases: [], items: [] });
    });
  });
}
