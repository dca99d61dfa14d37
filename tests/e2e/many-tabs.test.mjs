// Several tabs of one conversation, in real engines: nobody pays twice, nothing forks, and who dies is taken over.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { engines, openTab, Running } from './support/browsers.mjs';
import { Barrier, Model } from './support/model.mjs';
import { seen } from './support/promises.mjs';
import { here, json, serve } from './support/site.mjs';

/** With so many turns the next one is due for a pass, without any report. */
const DUE = 20;
const ROUNDS = 20;

for (const engine of engines) {
  describe(`several tabs of one conversation in ${engine.name}`, () => {
    const model = new Model();
    const barrier = new Barrier();
    let site;
    let running;
    let context;
    let chats = 0;
    let id;

    before(async () => {
      const folders = { '/package/': here('pkg/dist'), '/second/': here('pkg/dist'), '/support/': here('tests/e2e/support'), '/': here('tests/e2e/support') };
      site = await serve(folders, { '/model': json(() => model.called()), '/together': json(() => barrier.reached()) });
      running = await Running.start(engine);
    });
    after(async () => {
      await running?.end();
      site?.close();
    });
    beforeEach(async () => {
      context = await running.browser.createBrowserContext();
      model.reset();
      id = `chat-${(chats += 1)}`;
    });

    /** A tab with the conversation open in it. */
    async function tab(install) {
      const page = await openTab(context, async (opening) => install && opening.evaluateOnNewDocument(install));
      await page.goto(`${site.url}bare.html`);
      await page.waitForFunction(() => window.Chat, { polling: 50 });
      await open(page);
      return page;
    }

    const open = (page) => page.evaluate(openChat, id, DUE);

    // seeds: A7
    test('two that reach the threshold together ask one model, and both show its summary', async () => {
      const pages = [await tab(), await tab()];
      let shown = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        id = `round-${round}`;
        model.reset();
        await Promise.all(pages.map(open));
        const asked = await Promise.all(pages.map((page) => page.evaluate(askTogether)));
        assert.equal(model.calls, 1, `round ${round}: ${JSON.stringify(asked)}`);
        assert.equal(asked.filter(({ compacted }) => compacted).length, 1);
        const refused = asked.find(({ compacted }) => !compacted);
        assert.ok(['in_progress', 'awaiting_usage', 'below_threshold'].includes(refused.decision.reason), JSON.stringify(refused));
        const histories = await Promise.all(pages.map((page) => page.evaluate(historyWithin, 1_000)));
        shown += histories.filter((history) => history.length === 1 && history[0] === 'Summary 1.').length;
      }
      seen({ store: 'indexedDb', place: engine.name, promise: 'second_tab', kept: shown, of: 2 * ROUNDS });
      assert.equal(shown, 2 * ROUNDS);
    });

    test('two copies of the package in one page are as safe as two tabs', async () => {
      const page = await tab();
      for (let round = 0; round < 5; round += 1) {
        model.reset();
        const compacted = await page.evaluate(askCopies, `copies-${round}`, DUE);
        assert.deepEqual([model.calls, compacted.filter(Boolean).length], [1, 1]);
      }
    });

    test('whose holder dies in the midst of its call is taken over within 2 s, by one more call', async () => {
      const [holder, heir] = [await tab(), await tab()];
      model.hold();
      // What a crashed page was asked is never answered.
      holder.evaluate(ask).catch(() => undefined);
      await model.reaches(1);
      const before = await heir.evaluate(ask);
      assert.deepEqual([before.compacted, before.decision.action, before.decision.reason], [false, 'wait', 'in_progress']);
      await crash(engine, holder);
      const died = Date.now();
      await heir.waitForFunction(() => window.chat.session.getSnapshot().phase !== 'compacting', { polling: 20, timeout: 2_000 });
      const taken = heir.evaluate(ask);
      await model.reaches(2);
      assert.ok(Date.now() - died < 2_000, `${Date.now() - died} ms`);
      const during = await heir.evaluate(() => window.chat.record());
      assert.deepEqual([during.interruptedStreak, during.cooldownUntil, during.phase], [1, null, 'compacting']);
      model.answerAll();
      assert.equal((await taken).compacted, true);
      assert.equal(model.calls, 2);
    });

    test('a tab that was taken over and comes back has its summary refused, and earns nothing by it', async () => {
      const [zombie, heir] = [await tab(), await tab()];
      model.hold();
      const late = zombie.evaluate(ask);
      await model.reaches(1);
      await heir.evaluate(stealLock, id);
      const taken = heir.evaluate(ask);
      await model.reaches(2);
      model.answer(2);
      assert.equal((await taken).compacted, true);
      const stored = await heir.evaluate(() => window.chat.record());
      model.answer(1);
      assert.equal((await late).compacted, false);
      assert.deepEqual(await heir.evaluate(() => window.chat.record()), stored);
      assert.deepEqual(await zombie.evaluate(historyWithin, 1_000), ['Summary 2.']);
      assert.equal(await zombie.evaluate(() => window.chat.events.at(-1).status), 'cancelled');
    });

    test('messages and a pin that a second tab adds during the call stand behind the summary', async () => {
      const [writer, other] = [await tab(), await tab()];
      model.hold();
      const asked = writer.evaluate(ask);
      await model.reaches(1);
      const revision = await other.evaluate(async () => {
        window.chat.kept.turns += 2;
        await window.chat.ask();
        await window.chat.session.pin({ text: 'The flag is called --all.' });
        const records = await window.chat.session.advanced.records();
        return records.find(({ part }) => part === 'root').revision;
      });
      model.answerAll();
      assert.equal((await asked).compacted, true);
      const end = await other.evaluate(async () => {
        const { messages } = await window.chat.session.prepare(window.chat.transcript());
        const records = await window.chat.session.advanced.records();
        return { root: records.find(({ part }) => part === 'root').revision, last: messages.at(-1).content.slice(0, 12), text: JSON.stringify(messages), record: await window.chat.record() };
      });
      assert.equal(end.root, revision + 1, 'one commit on the newer root');
      assert.equal(end.last, `Question ${DUE + 2}.`);
      assert.ok(end.text.includes('Summary 1.') && end.text.includes('The flag is called --all.'));
      assert.deepEqual([model.calls, end.record.compactions, end.record.interruptedStreak], [1, 1, 0]);
    });

    test('an edit of what is being summarised drops the summary, without a pause', async () => {
      const page = await tab();
      model.hold();
      const asked = page.evaluate(ask);
      await model.reaches(1);
      await page.evaluate(() => {
        const [first, ...rest] = window.chat.transcript();
        window.chat.session.advanced.observe([{ ...first, content: `${first.content} Edited.` }, ...rest]);
      });
      model.answerAll();
      assert.equal((await asked).compacted, false);
      const { record, history } = await page.evaluate(async () => ({ record: await window.chat.record(), history: window.chat.session.history().length }));
      assert.deepEqual([record.cooldownUntil, record.weakStreak, record.ineffectiveStreak, record.compactions, history], [null, 0, 0, 0, 0]);
      assert.equal((await page.evaluate(ask)).compacted, true);
      assert.equal(model.calls, 2);
    });

    test('without Web Locks and without channels the store alone sees to it', async () => {
      const pages = [await tab(withoutHelp), await tab(withoutHelp)];
      for (let round = 0; round < 5; round += 1) {
        id = `alone-${round}`;
        model.reset();
        await Promise.all(pages.map(open));
        const asked = await Promise.all(pages.map((page) => page.evaluate(askTogether)));
        assert.deepEqual([model.calls, asked.filter(({ compacted }) => compacted).length], [1, 1]);
        // Nobody hinted: the tab that lost finds the summary when it asks the next time.
        const histories = await Promise.all(pages.map((page) => page.evaluate(async () => {
          await window.chat.session.pin({ text: 'Look again.' });
          return window.chat.session.history().length;
        })));
        assert.deepEqual(histories, [1, 1]);
      }
    });

    test('locks that fail let nothing start by itself, and say so; by hand it works', async () => {
      const page = await tab(failingLocks);
      for (let n = 0; n < 2; n += 1) {
        const { compacted, decision } = await page.evaluate(ask);
        assert.deepEqual([compacted, decision.reason], [false, 'in_progress']);
      }
      assert.equal(model.calls, 0);
      const told = await page.evaluate(() => window.chat.events.filter(({ type }) => type === 'lock_failed').map(({ cause }) => cause.name));
      assert.deepEqual(told, ['SecurityError']);
      assert.equal(await page.evaluate(async () => (await window.chat.session.compact(window.chat.transcript())).status), 'committed');
    });

    test("a second tab's snapshot follows within 1 s of an acknowledged write, and forgets what was removed", async () => {
      const [writer, other] = [await tab(), await tab()];
      await other.evaluate(() => {
        window.told = [];
        window.chat.session.subscribe(() => window.told.push([Date.now(), window.chat.session.getSnapshot().compactions]));
      });
      assert.equal((await writer.evaluate(ask)).compacted, true);
      const wrote = Date.now();
      await other.waitForFunction(() => window.told.some(([, compactions]) => compactions === 1), { polling: 20, timeout: 1_000 });
      const at = await other.evaluate(() => window.told.find(([, compactions]) => compactions === 1)[0]);
      assert.ok(at - wrote < 1_000, `${at - wrote} ms`);
      // Deleted from a list of chats, where none of them is open.
      await writer.evaluate(async (id) => {
        await window.chat.session.close();
        await window.governor.sessions(window.governor.indexedDb()).remove(id);
      }, id);
      await other.waitForFunction(() => window.chat.session.getSnapshot().compactions === 0, { polling: 20, timeout: 1_000 });
      const records = await other.evaluate(async () => {
        await window.chat.session.close();
        return (await window.chat.session.advanced.records()).length;
      });
      assert.equal(records, 0, 'and does not write it again');
    });
  });
}

async function crash(engine, page) {
  if (engine.browser !== 'chrome') return page.close();
  const devtools = await page.createCDPSession();
  const crashed = new Promise((resolve) => page.once('error', resolve));
  devtools.send('Page.crash').catch(() => undefined);
  await crashed;
}

/* In the page. */

function openChat(id, turns) {
  const summarize = async ({ signal }) => (await fetch('/model', { signal, cache: 'no-store' })).json();
  window.chat = new window.Chat(id, window.governor.indexedDb(), { turns, outside: 0, files: [] }, { summarize });
  return window.chat.session.ready.then(() => undefined);
}

async function ask() {
  const { compacted, decision } = await window.chat.ask();
  return { compacted, decision };
}

async function askTogether() {
  await fetch('/together', { cache: 'no-store' });
  const { compacted, decision } = await window.chat.ask();
  return { compacted, decision };
}

/** The summaries that the session shows as soon as there is one, or by then. */
async function historyWithin(ms) {
  const until = Date.now() + ms;
  while (window.chat.session.history().length === 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
  return window.chat.session.history().map(({ summary }) => summary.slice(0, 'Summary 1.'.length));
}

async function askCopies(id, turns) {
  const copies = [window.governor, await import('/second/index.js')];
  const { rough: countTokens } = await import('/support/bare-chat.mjs');
  const messages = new window.Chat(`${id} messages`, window.governor.memory(), { turns, outside: 0, files: [] }).transcript();
  const summarize = async () => (await fetch('/model', { cache: 'no-store' })).json();
  const sessions = copies.map(({ openSession, indexedDb }) => openSession({ id, store: indexedDb(), contextWindow: 32_768, countTokens, summarize }));
  if (sessions[0] === sessions[1]) throw new Error('one object');
  const steps = await Promise.all(sessions.map((session) => session.prepare(messages)));
  return steps.map(({ compacted }) => compacted);
}

/** Breaks the lock as a browser does that gives up on a page. */
function stealLock(id) {
  return navigator.locks.request(`compaction-governor/indexed_db compaction-governor/${id}`, { steal: true }, () => undefined);
}

function withoutHelp() {
  Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined });
  delete window.BroadcastChannel;
}

function failingLocks() {
  LockManager.prototype.request = () => Promise.reject(new DOMException('Locks are not to be had here.', 'SecurityError'));
}
