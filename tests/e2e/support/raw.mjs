// In the page: the database as the engine holds it, past the package.

/** All rows of a session, in the order of their keys. */
export function rows(session) {
  return within('readonly', ['records'], ({ records }, done) => {
    const rows = [];
    records.openCursor().onsuccess = ({ target: { result: cursor } }) => {
      if (!cursor) return done(rows);
      if (cursor.key[0] === session) rows.push({ part: String(cursor.key[1]), ...cursor.value, bytes: [...cursor.value.bytes] });
      cursor.continue();
    };
  });
}

/** Puts other bytes in the place of one part, under the same revision. */
export function rewrite(session, part, change) {
  return within('readwrite', ['records'], ({ records }) => {
    records.get([session, part]).onsuccess = ({ target: { result: row } }) => {
      records.put({ ...row, bytes: change(row.bytes) }, [session, part]);
    };
  });
}

/** How many records of a session were set aside. */
export function quarantined(session) {
  return within('readonly', ['quarantine'], ({ quarantine }, done) => {
    quarantine.getAllKeys().onsuccess = ({ target: { result: keys } }) => done(keys.filter(([id]) => id === session).length);
  });
}

/** Resolves with what `work` was done with, once the engine has committed. */
export async function within(mode, names, work, database = 'compaction-governor') {
  const request = indexedDB.open(database);
  // One that was not there must not be left behind without its stores.
  request.onupgradeneeded = () => request.transaction.abort();
  const db = await opened(request);
  try {
    return await new Promise((resolve, reject) => {
      let found;
      const transaction = db.transaction(names, mode);
      transaction.oncomplete = () => resolve(found);
      transaction.onabort = () => reject(transaction.error ?? new Error('aborted'));
      const stores = Object.fromEntries(names.map((name) => [name, transaction.objectStore(name)]));
      work(stores, (value) => (found = value));
    });
  } finally {
    db.close();
  }
}

/** The database that a request opens. */
export function opened(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
