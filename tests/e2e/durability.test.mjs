// The guard on a bare page, past everything that the demo adds: reloads, tabs, kills, counted writes, failing stores.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { bareBrowser } from './support/bare-browser.mjs';
import { bareSite, countWrites, openBare, reloadBare } from './support/bare.mjs';
import { engines, Running } from './support/browsers.mjs';
import { faults } from './support/faults.mjs';

/** Turns after which one pass, and two passes, did not help. */
const ONE_STRIKE = 16;
const TWO_STRIKES = 17;

for (const engine of engines) {
  describe(`a session in IndexedDB in ${engine.name}`, () => {
    const bare = bareBrowser(engine);
    let page;

    beforeEach(async () => {
      page = await openBare(bare.context, bare.site, countWrites);
    });

    // seeds: A1, A2
    test('blocks after two passes that did not help', async () => {
      const kept = await play(page, TWO_STRIKES);
      const asked = await askAfter(page, kept);
      assert.equal(asked.decision.action, 'blocked');
      assert.equal(asked.decision.reason, 'ineffective');
      assert.equal(asked.summaries, 2);
      assert.equal(asked.record.tripped, true);
      assert.equal(asked.record.ineffectiveStreak, 2);
    });

    // seeds: A3, A5
    test('is still blocked after a reload', async () => {
      const kept = await play(page, TWO_STRIKES);
      const first = await askAfter(page, kept);
      await reloadBare(page);
      const again = await askAfter(page, kept);
      assertStillBlocked(again, first);
    });

    // seeds: A3
    test('is still blocked in a second tab', async () => {
      const kept = await play(page, TWO_STRIKES);
      const first = await askAfter(page, kept);
      const second = await openBare(bare.context, bare.site, countWrites);
      assertStillBlocked(await askAfter(second, kept), first);
    });

    // seeds: A7
    test('a guard tripped by one tab refuses the other at its claim, also where no hint came', async () => {
      await page.close();
      page = await openBare(bare.context, bare.site, countWrites, withoutChannels);
      const kept = await play(page, ONE_STRIKE);
      const other = await openBare(bare.context, bare.site, countWrites);
      await other.evaluate(openChat, kept);
      const tripped = await play(other, TWO_STRIKES, kept);
      const asked = await askAfter(page, tripped);
      assert.equal(asked.compacted, false);
      assert.equal(asked.decision.reason, 'ineffective');
      assert.equal(asked.summaries, 1, 'the one before');
    });

    test('a compaction, a reload before the first report, then the report: the verdict is given exactly once', async () => {
      const kept = await play(page, ONE_STRIKE - 1);
      const asked = await askAfter(page, kept);
      assert.equal(asked.compacted, true);
      await reloadBare(page);
      const found = await askAfter(page, asked.kept);
      assert.equal(found.compacted, false, 'it waits for the verdict');
      assert.equal(found.record.phase, 'awaiting_verdict');
      assert.equal(found.record.ineffectiveStreak, 0);
      const settled = await report(page);
      assert.equal(settled.verdicts.length, 1);
      assert.equal(settled.verdicts[0].verdict, 'ineffective');
      assert.equal(settled.record.ineffectiveStreak, 1);
      assert.equal(settled.record.compactions, 1);
      await reloadBare(page);
      assert.equal((await askAfter(page, { ...settled.kept, outside: 4_000 })).record.ineffectiveStreak, 1);
    });

    test('ten reloads of a session with one strike allow at most one more pass', async () => {
      let kept = await play(page, ONE_STRIKE);
      let passes = 0;
      for (let reloads = 0; reloads < 10; reloads += 1) {
        await reloadBare(page);
        const asked = await askAfter(page, kept);
        passes += asked.summaries;
        // Every other page goes away before its reply is counted.
        kept = reloads % 2 === 0 ? asked.kept : (await report(page)).kept;
      }
      assert.equal(passes, 1);
    });

    // seeds: A4, A6
    test('a report that settles nothing writes nothing; a compaction costs intent, commit and verdict', async () => {
      const kept = await play(page, 3);
      assert.deepEqual(await writesOf(page, 'ask', kept), 0);
      assert.deepEqual(await writesOf(page, 'report'), 0);
      const due = await play(page, ONE_STRIKE - 1, kept);
      assert.equal(await writesOf(page, 'ask', due), 2, 'intent and commit');
      assert.equal(await writesOf(page, 'report'), 1, 'verdict');
    });

    // seeds: A8, C1
    test('a report below the threshold clears ineffective strikes, durably', async () => {
      const kept = await play(page, TWO_STRIKES);
      await askAfter(page, { ...kept, outside: 4_000 });
      const cleared = await report(page);
      assert.equal(cleared.record.ineffectiveStreak, 0);
      assert.equal(cleared.record.tripped, false);
      await reloadBare(page);
      const again = await askAfter(page, cleared.kept);
      assert.equal(again.record.ineffectiveStreak, 0);
      assert.equal(again.decision.action, 'hold');
    });

    for (const [fault, install] of Object.entries(faults)) {
      // seeds: A4
      test(`a store that ${fault} never reaches the chat`, async () => {
        await page.close();
        page = await openBare(bare.context, bare.site, install);
        const { kept, passes, durability, decision, waits } = await page.evaluate(async (turns) => {
          const chat = new window.Chat('faulty', window.governor.indexedDb());
          await chat.session.ready;
          window.broken = true;
          const waits = [];
          while (chat.kept.turns < turns) {
            const began = performance.now();
            await chat.play(chat.kept.turns + 1);
            waits.push(Math.round(performance.now() - began));
          }
          await chat.ask();
          const { durability, decision } = chat.session.getSnapshot();
          return { kept: chat.kept, passes: chat.summaries, durability, decision, waits };
        }, TWO_STRIKES + 1);
        assert.equal(kept.turns, TWO_STRIKES + 1, 'every turn was answered');
        assert.ok(waits.filter((ms) => ms > 5_000).length <= 1, `only the first turn may wait for the store: ${waits.join(' ')} ms`);
        assert.equal(durability, 'degraded');
        assert.ok(passes >= 1 && passes <= 2, `${passes} passes`);
        assert.equal(decision.action, 'blocked', 'the guard works on in memory');
        assert.deepEqual(page.mishaps, []);
      });
    }
  });

  // seeds: A3
  test(`a session is still blocked after ${engine.name} was killed and started again`, async () => {
    const site = await bareSite();
    const running = await Running.start(engine);
    try {
      const page = await openBare(running.browser, site, countWrites);
      const kept = await play(page, TWO_STRIKES);
      const before = await askAfter(page, kept);
      await running.restart();
      assertStillBlocked(await askAfter(await openBare(running.browser, site, countWrites), kept), before);
    } finally {
      await running.end();
      site.close();
    }
  });
}

function assertStillBlocked(now, before) {
  assert.equal(now.compacted, false);
  assert.equal(now.decision.action, 'blocked');
  assert.equal(now.decision.reason, 'ineffective');
  assert.equal(now.decision.retryAt, before.decision.retryAt, 'the countdown goes on');
  assert.equal(now.summaries, 0, 'nothing was paid again');
}

/** In the page: nothing tells it what another tab has done. */
function withoutChannels() {
  delete window.BroadcastChannel;
}

/** In the page: the chat as its host kept it. */
function openChat(kept) {
  if (window.chat && kept) window.chat.kept = kept;
  window.chat ??= new window.Chat('bare', window.governor.indexedDb(), kept ?? undefined);
}

async function play(page, turns, kept) {
  await page.evaluate(openChat, kept);
  return page.evaluate((turns) => window.chat.play(turns), turns);
}

/** Asks the next question, and says what came of it. */
async function askAfter(page, kept) {
  await page.evaluate(openChat, kept);
  return page.evaluate(async () => {
    const { chat } = window;
    const { compacted } = await chat.ask();
    return { compacted, decision: chat.session.explain(), summaries: chat.summaries, record: await chat.record(), kept: chat.kept };
  });
}

async function report(page) {
  return page.evaluate(async () => {
    const { chat } = window;
    await chat.report();
    return { record: await chat.record(), kept: chat.kept, verdicts: chat.events.filter(({ type }) => type === 'verdict') };
  });
}

/** Read-write transactions that one method of the chat costs. */
async function writesOf(page, method, kept) {
  if (kept) await page.evaluate(openChat, kept);
  return page.evaluate(async (method) => {
    const before = window.writes;
    await window.chat[method]();
    await new Promise((resolve) => setTimeout(resolve, 200));
    return window.writes - before;
  }, method);
}
