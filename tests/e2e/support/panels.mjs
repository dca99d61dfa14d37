// What the page shows, as values.

/** Goes to the page and waits until its first frame stands. */
export async function visit(page, url) {
  await page.goto(url);
  await settled(page);
}

/** Presses the page's own reload button. */
export async function reload(page) {
  await Promise.all([page.waitForNavigation(), page.click('.primary')]);
  await settled(page);
}

export async function settled(page) {
  await page.waitForSelector('html.ready', { timeout: 30_000 });
  await page.waitForFunction(() => !document.querySelector('.panel[aria-busy="true"]'), { timeout: 30_000, polling: 50 });
}

/** One panel's numbers and words. */
export function panel(page, side) {
  return page.$eval(`#${side}`, (element) => {
    const text = (selector) => element.querySelector(selector).textContent;
    const number = (name) => {
      const digits = text(`[data-number="${name}"]`).replaceAll(',', '');
      return /^\d+$/.test(digits) ? Number(digits) : digits;
    };
    return {
      state: element.dataset.state,
      sentence: text('.sentence'),
      exits: [...element.querySelectorAll('.exits li')].map((exit) => exit.textContent),
      deadline: Number(element.querySelector('.wait').dataset.until),
      wait: text('.wait'),
      used: number('used'),
      fixed: number('fixed'),
      target: number('target'),
      threshold: number('threshold'),
      window: number('window'),
      passes: number('passes'),
      spent: number('spent'),
      paid: number('paid'),
      model: text('.words span:last-child'),
      decisions: [...element.querySelectorAll('.decisions li')].map((line) => ({ code: line.querySelector('code').textContent, text: line.querySelector('span').textContent })),
      records: [...element.querySelectorAll('tbody tr')].map((row) => ({ part: row.dataset.part, bytes: Number(row.cells[1].textContent.replace(/\D/g, '')) })),
      revision: Number(text('[data-number="revision"]').replace('revision ', '')),
      root: text('pre'),
    };
  });
}

export async function panels(page) {
  return { left: await panel(page, 'left'), right: await panel(page, 'right') };
}

/** The records of a session, read past the package, straight from IndexedDB. */
export async function storedRecords(page, session) {
  const rows = await page.evaluate((id) => new Promise((resolve, reject) => {
    const request = indexedDB.open('compaction-governor');
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const store = request.result.transaction('records').objectStore('records');
      const rows = [];
      store.openCursor().onsuccess = ({ target: { result: cursor } }) => {
        if (!cursor) {
          request.result.close();
          return resolve(rows);
        }
        if (cursor.key[0] === id) rows.push({ part: String(cursor.key[1]), revision: cursor.value.revision, bytes: [...cursor.value.bytes] });
        cursor.continue();
      };
    };
  }), session);
  return rows.map((row) => ({ ...row, bytes: Uint8Array.from(row.bytes) }));
}

/** Presses a control and waits until both chats have done it. */
export async function press(page, label) {
  await page.evaluate((label) => [...document.querySelectorAll('.controls button')].find((button) => button.textContent === label).click(), label);
  return outcome(page);
}

/** What the page says came of the last action, once it has ended. */
export async function outcome(page) {
  await settled(page);
  return page.$eval('.outcome', (element) => element.textContent);
}
