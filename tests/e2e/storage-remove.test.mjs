// What is removed is gone: past the API at once, and in the raw files of the profile as soon as the engine lets it go.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALMOST_DUE, bareSite, openBare } from './support/bare.mjs';
import { Running, storageEngines } from './support/browsers.mjs';
import { holding } from './support/files.mjs';
import { seen } from './support/promises.mjs';

const MARKER = 'cormorant-7731-under-the-pier';

for (const engine of storageEngines) {
  test(`remove leaves nothing in the files of ${engine.name}`, async (t) => {
    const site = await bareSite();
    const running = await Running.start(engine);
    try {
      let page = await openBare(running.browser, site);
      await page.evaluate(writeMarked, ALMOST_DUE, MARKER);
      const written = await holding(running.profile, MARKER);
      assert.notDeepEqual(written, [], 'the marker is in the files while the session is there');

      const left = await page.evaluate(async () => {
        await window.chat.session.close();
        await window.chat.session.advanced.remove();
        return { rows: await window.raw.rows('marked'), quarantined: await window.raw.quarantined('marked'), staying: (await window.raw.rows('staying')).length };
      });
      assert.deepEqual({ rows: left.rows, quarantined: left.quarantined }, { rows: [], quarantined: 0 });
      assert.ok(left.staying > 0, 'another session is untouched');

      await running.browser.close();
      const closed = await holding(running.profile, MARKER);
      seen({ store: 'indexedDb', place: engine.name, promise: 'nothing_left', kept: Number(closed.length === 0), of: 1 });
      t.diagnostic(`after the browser was closed: ${closed.join(', ') || 'nothing'}`);
      if (engine.name !== 'Chromium') assert.deepEqual(closed, []);

      // LevelDB appends: a delete is one more line of its log, and what was before goes when the engine compacts or drops the folder.
      await running.launch();
      page = await openBare(running.browser, site);
      assert.equal(await page.evaluate(() => window.governor.openSession({ id: 'marked', store: window.governor.indexedDb() }).ready.then(({ found }) => found)), 'new');
      if (engine.browser === 'chrome') {
        const devtools = await page.createCDPSession();
        await devtools.send('Storage.clearDataForOrigin', { origin: new URL(site.url).origin, storageTypes: 'indexeddb' });
        assert.deepEqual(await gone(running.profile), [], 'cleared site data');
      }
    } finally {
      await running.end();
      site.close();
    }
  });
}

/** In the page: two sessions whose summaries hold the marker and another word. */
async function writeMarked(kept, marker) {
  const store = window.governor.indexedDb();
  for (const [id, word] of [['staying', 'heron'], ['marked', marker]]) {
    window.chat = new window.Chat(id, store, structuredClone(kept));
    const content = `The ${word} plan stands. Its first parts are done, their tests are green, and the next part has been read but not begun.`;
    window.governor.openSession({ id, store, summarize: async () => content });
    await window.chat.play(17);
  }
}

/** What holds the marker a while later: the engine drops files behind its answer. */
async function gone(profile) {
  for (const end = Date.now() + 3_000; Date.now() < end; ) {
    if ((await holding(profile, MARKER)).length === 0) return [];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return holding(profile, MARKER);
}
