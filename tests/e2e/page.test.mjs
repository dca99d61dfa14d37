// The page, played in real browsers: what it shows is what its records hold, and a reload changes only the side that forgets.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { engines, openTab, Running } from './support/browsers.mjs';
import { decodeRecord } from './support/package.mjs';
import { outcome, panel, panels, press, reload, settled, storedRecords, visit } from './support/panels.mjs';
import { pageSite } from './support/site.mjs';

for (const engine of engines) {
  describe(`the page in ${engine.name}`, () => {
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

    /** A visitor who was never here: storage of its own, one tab. */
    async function firstVisit(prepare) {
      await context?.close();
      context = await running.browser.createBrowserContext();
      page = await openTab(context, prepare);
      await visit(page, site.url);
    }

    // seeds: A1, A2, A9
    test('a first visit finds both chats stopped after two passes that did not help', async () => {
      await firstVisit();
      for (const side of Object.values(await panels(page))) {
        assert.equal(side.state, 'paused');
        assert.equal(side.passes, 2);
        assert.equal(side.threshold, 26_214);
        assert.equal(side.window, 32_768);
        assert.ok(side.used >= side.threshold, `${side.used} is not below ${side.threshold}`);
        assert.ok(side.fixed >= 28_000, 'the fixed part holds the files');
        assert.ok(side.sentence.includes(side.used.toLocaleString('en')), `both numbers are said: ${side.sentence}`);
        assert.ok(side.sentence.includes(side.threshold.toLocaleString('en')), `both numbers are said: ${side.sentence}`);
        assert.ok(side.exits.some((exit) => exit.includes('one try')), 'exits are listed');
        assert.equal(side.decisions.filter(({ code }) => code.startsWith('verdict')).length, 2);
        assert.equal(side.decisions.filter(({ code }) => code === 'verdict · effective').length, 0);
      }
      assert.deepEqual(page.mishaps, []);
    });

    test('the numbers shown are those of the records', async () => {
      await firstVisit();
      const shown = await panel(page, 'right');
      const stored = await storedRecords(page, 'page-right');
      assert.deepEqual(shown.records.toSorted(byPart), stored.map(({ part, bytes }) => ({ part, bytes: bytes.length })).toSorted(byPart));
      assert.equal(shown.revision, stored.find(({ part }) => part === 'root').revision);
      const root = decodeRecord(stored.find(({ part }) => part === 'root').bytes, 'page-right');
      assert.deepEqual(JSON.parse(shown.root), root);
      assert.equal(shown.deadline, root.recoveryAt);
      assert.equal(shown.spent, root.summaryTokensSpent);
      assert.equal(shown.passes, root.compactions);
      assert.equal(root.ineffectiveStreak + root.weakStreak, 2);
    });

    // seeds: A3, A5
    test('a reload makes the left pay again and leaves the right stopped with its countdown going on', async () => {
      await firstVisit();
      const first = await panels(page);
      for (let loads = 2; loads <= 3; loads += 1) {
        await reload(page);
        const now = await panels(page);
        assert.equal(now.left.paid, loads * first.left.paid, 'the left paid the same once more');
        assert.equal(now.left.state, 'paused');
        assert.equal(now.right.state, 'paused');
        assert.equal(now.right.deadline, first.right.deadline, 'the countdown was not started again');
        assert.equal(now.right.passes, first.right.passes);
        assert.equal(now.right.paid, first.right.paid, 'the right paid nothing');
        assert.ok(now.left.deadline > first.left.deadline, 'the left started its own again');
      }
    });

    test('the countdown ticks and moves nothing', async () => {
      await firstVisit();
      const before = await panel(page, 'right');
      const place = () => page.$eval('#right .wait', (wait) => wait.getBoundingClientRect().toJSON());
      const there = await place();
      await page.waitForFunction((text) => document.querySelector('#right .wait').textContent !== text, {}, before.wait);
      assert.deepEqual(await place(), there);
    });

    test('a store of the left that survives a reload stays stopped too', async () => {
      await firstVisit();
      await page.select('#left-store', 'localStorage');
      await settled(page);
      const before = await panel(page, 'left');
      assert.equal(before.state, 'paused');
      await reload(page);
      const now = await panel(page, 'left');
      assert.equal(now.deadline, before.deadline);
      assert.equal(now.paid, before.paid);
    });

    // seeds: A7
    test('a second tab shows the right stopped with the same deadline', async () => {
      await firstVisit();
      const first = await panel(page, 'right');
      const second = await openTab(context);
      await visit(second, site.url);
      const there = await panel(second, 'right');
      assert.equal(there.state, 'paused');
      assert.equal(there.deadline, first.deadline);
      assert.equal(there.passes, first.passes);
    });

    test('a message sent in one tab is in the other', async () => {
      await firstVisit();
      const second = await openTab(context);
      await visit(second, site.url);
      await page.bringToFront();
      await page.type('input[name=text]', 'Are you there?');
      await page.click('form button');
      await outcome(page);
      await second.waitForFunction(() => document.querySelector('#right .words').textContent.includes('Are you there?'), { timeout: 10_000, polling: 100 });
      await settled(second);
      assert.equal((await panel(second, 'right')).state, 'paused');
    });

    test('the first frame holds the state, and nothing moves after it', async () => {
      await firstVisit(watchFrames);
      for (const visited of ['first visit', 'reload']) {
        if (visited === 'reload') await reload(page);
        await new Promise((resolve) => setTimeout(resolve, 1_200));
        const { frames, shift } = await page.evaluate(() => window.seen);
        const last = await panel(page, 'right');
        assert.equal(timeless(frames[0].sentence), timeless(last.sentence), `${visited}: the first frame says what the last says`);
        assert.equal(frames[0].used, last.used.toLocaleString('en'));
        for (const frame of frames) assert.deepEqual(frame.boxes, frames[0].boxes, `${visited}: nothing moved`);
        assert.ok(shift < 0.01, `${visited}: layout shift ${shift}`);
      }
    });

    test('after a pass the meter is unknown until the next reply', async () => {
      await firstVisit();
      await press(page, 'Compact now');
      const between = await panels(page);
      for (const side of Object.values(between)) assert.equal(side.used, 'unknown until the next reply');
      await press(page, 'Send');
      for (const side of Object.values(await panels(page))) assert.equal(typeof side.used, 'number');
    });

    // seeds: A8
    test('freeing the fixed part makes the chat normal, and it compacts again when due', async () => {
      await firstVisit();
      await press(page, 'Free the fixed part');
      for (const side of Object.values(await panels(page))) {
        assert.equal(side.state, 'normal');
        assert.ok(side.used < side.threshold);
      }
      for (let round = 0; round < 4 && (await panel(page, 'right')).passes === 2; round += 1) await press(page, 'Play 5 turns');
      const right = await panel(page, 'right');
      assert.ok(right.passes > 2, 'a pass was due and ran');
      assert.ok(right.decisions.some(({ code }) => code === 'verdict · effective'), 'and it helped');
      assert.notEqual(right.state, 'paused');
    });

    for (const [mood, does, told] of [['fails', 'fails', /told to fail/], ['empty', 'writes nothing', /wrote nothing/], ['hangs', 'hangs', /No summary within 3 s/]]) {
      test(`a summariser that ${does} is named, and the chat goes on`, async () => {
        await firstVisit();
        await page.select('#summariser', mood);
        const said = await press(page, 'Compact now');
        assert.match(said, told);
        const before = await panel(page, 'right');
        assert.ok(before.decisions.some(({ code }) => code === 'pass · manual · failed'), JSON.stringify(before.decisions.slice(0, 3)));
        await press(page, 'Send');
        const now = await panel(page, 'right');
        assert.match(now.model, /Noted/);
        assert.ok(now.used > 0);
        assert.deepEqual(page.mishaps, []);
      });
    }

    test('wiping starts over', async () => {
      await firstVisit();
      const first = await panels(page);
      await reload(page);
      await press(page, 'Wipe and start over');
      const now = await panels(page);
      assert.equal(now.left.paid, first.left.paid);
      assert.equal(now.right.passes, 2);
      assert.ok(now.right.deadline > first.right.deadline, 'the guard tripped anew');
    });

    test('nothing is asked of any other origin', async () => {
      const asked = [];
      await firstVisit(async (tab) => tab.on('request', (request) => asked.push(request.url())));
      await press(page, 'Compact now');
      await press(page, 'Send');
      assert.ok(asked.length >= 3, 'the page and its files');
      assert.deepEqual(asked.filter((url) => !url.startsWith(site.url) && !url.startsWith('data:')), []);
    });
  });
}

describe('the right side after a kill', () => {
  for (const engine of engines) {
    // seeds: A3
    test(`is still stopped when ${engine.name} was killed and started again`, async () => {
      const site = await pageSite();
      const running = await Running.start(engine);
      try {
        const before = await openTab(running.browser);
        await visit(before, site.url);
        const first = await panel(before, 'right');
        await running.restart();
        const page = await openTab(running.browser);
        await visit(page, site.url);
        const right = await panel(page, 'right');
        assert.equal(right.state, 'paused');
        assert.equal(right.deadline, first.deadline);
        assert.equal(right.passes, 2);
        assert.equal(right.paid, 0, 'nothing was paid again');
      } finally {
        await running.end();
        site.close();
      }
    });
  }
});

/** Notes every frame from the first visible one on: what it says, where its parts are, and what shifted. */
async function watchFrames(page) {
  await page.evaluateOnNewDocument(() => {
    window.seen = { frames: [], shift: 0 };
    if (PerformanceObserver.supportedEntryTypes.includes('layout-shift')) {
      new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.seen.shift += value))).observe({ type: 'layout-shift', buffered: true });
    }
    const look = () => {
      if (document.body && getComputedStyle(document.body).opacity !== '0') {
        const parts = [...document.querySelectorAll('h1, .primary, .outcome, .panel > *')];
        window.seen.frames.push({
          sentence: document.querySelector('#right .sentence')?.textContent,
          used: document.querySelector('#right [data-number="used"]')?.textContent,
          boxes: parts.map((part) => part.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ')),
        });
      }
      if (window.seen.frames.length < 40) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

/** A sentence without how long it takes, which changes every second. */
function timeless(sentence) {
  return sentence.replace(/in \d+ (min|s)( \d+ s)?/, 'in a while');
}

function byPart(a, b) {
  return a.part < b.part ? -1 : 1;
}
