// Sealed sessions in real engines: nothing to read in the files of the browser, the same key for every tab, and after a kill.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { engines, openTab, Running } from './support/browsers.mjs';
import { here, serve } from './support/site.mjs';

/** Stands in the summary that the bare page's summariser writes. */
const MARKER = 'Its first parts are done';
const TURNS = 16;

for (const engine of engines) {
  describe(`a sealed session in IndexedDB in ${engine.name}`, () => {
    let site;
    let running;
    before(async () => {
      site = await serve({ '/package/': here('pkg/dist'), '/support/': here('tests/e2e/support'), '/': here('tests/e2e/support') });
      running = await Running.start(engine);
    });
    after(async () => {
      await running?.end();
      site?.close();
    });

    const bare = async () => {
      const page = await openTab(running.browser);
      await page.goto(`${site.url}bare.html`);
      await page.waitForFunction(() => 'Chat' in window);
      return page;
    };
    const chat = (page, id, seal, turns) => page.evaluate(async (id, seal, turns) => {
      const { governor, Chat } = window;
      const made = new Chat(id, governor.indexedDb({ name: `chats-${id}`, ...(seal ? { seal } : {}) }));
      const { found } = await made.session.ready;
      await made.play(turns);
      return { found, summaries: made.session.history().map(({ summary }) => summary), durability: made.session.getSnapshot().durability };
    }, id, seal, turns);

    test('its summary is in no file of the profile, is there in a second tab and after a kill, and rests without the key', async () => {
      const sealed = await chat(await bare(), 'sealed', true, TURNS);
      assert.equal(sealed.durability, 'durable');
      assert.ok(sealed.summaries[0].includes(MARKER));
      const plain = await chat(await bare(), 'plain', false, TURNS);
      const second = await chat(await bare(), 'sealed', true, 0);
      assert.deepEqual([second.found, second.summaries], ['existing', sealed.summaries]);
      await running.restart();
      const again = await chat(await bare(), 'sealed', true, 0);
      assert.deepEqual([again.found, again.summaries], ['existing', sealed.summaries]);
      const page = await bare();
      assert.equal((await chat(page, 'sealed', false, 0)).found, 'read_only');
      await running.kill();
      const files = await contents(running.profile, 'plain');
      assert.ok(files.plain.some((bytes) => bytes.includes(MARKER)), 'the search finds what is not sealed');
      assert.ok(files.sealed.length > 0, 'the sealed database has files');
      assert.equal(files.sealed.filter((bytes) => bytes.includes(MARKER)).length, 0);
      assert.equal(plain.found, 'new');
      await running.restart();
    });
  });
}
