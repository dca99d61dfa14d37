// The bare page: the built package and a chat, past everything that the demo adds.
import { openTab } from './browsers.mjs';
import { here, serve } from './site.mjs';

/** A chat in its last turn before the first pass is due; with its files neither that pass nor the next one helps. */
export const ALMOST_DUE = { turns: 14, outside: 4_000, files: [16_000, 8_000] };

export function bareSite() {
  return serve({ '/package/': here('pkg/dist'), '/support/': here('tests/e2e/support'), '/': here('tests/e2e/support') });
}

/** A tab on the bare page; `installs` run in it before its own scripts. */
export async function openBare(browser, site, ...installs) {
  const page = await openTab(browser, async (tab) => {
    for (const install of installs) await tab.evaluateOnNewDocument(install);
  });
  await page.goto(`${site.url}bare.html`);
  await loaded(page);
  return page;
}

export async function reloadBare(page) {
  await page.reload();
  await loaded(page);
}

export async function loaded(page) {
  await page.waitForFunction(() => window.Chat, { polling: 50 });
}

/** In the page: counts what it writes to IndexedDB, as read-write transactions and as puts. */
export function countWrites() {
  window.writes = 0;
  window.puts = 0;
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (stores, mode, ...given) {
    if (mode === 'readwrite') window.writes += 1;
    return transaction.call(this, stores, mode, ...given);
  };
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (...given) {
    window.puts += 1;
    return put.apply(this, given);
  };
}
