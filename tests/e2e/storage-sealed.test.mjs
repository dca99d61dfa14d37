// Sealed sessions in real engines: nothing to read in the files of the browser, the same key for every tab, and after a kill.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALMOST_DUE, bareSite, openBare } from './support/bare.mjs';
import { Running, storageEngines } from './support/browsers.mjs';
import { holding } from './support/files.mjs';

/** Stands in the summary that the bare page's summariser writes. */
const MARKER = 'Its first parts are done';
const TURNS = 16;

for (const engine of storageEngines) {
  test(`a sealed session is in no file of ${engine.name}, and every tab has its key`, async () => {
    await withBrowser(engine, async (running, open) => {
      const sealed = await chat(await open(), true, TURNS);
      assert.equal(sealed.durability, 'durable');
      assert.ok(sealed.summaries[0].includes(MARKER));
      const second = await chat(await open(), true);
      assert.deepEqual([second.found, second.summaries], ['existing', sealed.summaries]);
      await running.restart();
      const again = await chat(await open(), true);
      assert.deepEqual([again.found, again.summaries], ['existing', sealed.summaries]);
      assert.equal((await chat(await open(), false)).found, 'read_only', 'without the key it rests');
      await running.kill();
      assert.deepEqual(await holding(running.profile, MARKER), []);
      await running.launch();
    });
    await withBrowser(engine, async (running, open) => {
      await chat(await open(), false, TURNS);
      await running.kill();
      assert.notDeepEqual(await holding(running.profile, MARKER), [], 'the search finds what is not sealed');
      await running.launch();
    });
  });
}

async function withBrowser(engine, work) {
  const site = await bareSite();
  const running = await Running.start(engine);
  try {
    await work(running, () => openBare(running.browser, site));
  } finally {
    await running.end();
    site.close();
  }
}

function chat(page, seal, turns = 0) {
  return page.evaluate(async (seal, turns, kept) => {
    const made = new window.Chat('sealed', window.governor.indexedDb({ name: 'chats', seal }), structuredClone(kept));
    const { found } = await made.session.ready;
    if (turns > 0) await made.play(turns);
    return { found, summaries: made.session.history().map(({ summary }) => summary), durability: made.session.getSnapshot().durability };
  }, seal, turns, ALMOST_DUE);
}
