// Hands inside IndexedDB: a database held up, a row spoilt, a database deleted.

/** Keeps a transaction over everything busy, so that no other one starts; ends by itself. */
export async function hold(name: string, ms: number): Promise<void> {
  const database = await opened(name);
  const until = performance.now() + ms;
  const transaction = database.transaction([...database.objectStoreNames], 'readwrite');
  const records = transaction.objectStore('records');
  const spin = (): void => {
    if (performance.now() < until) records.get(0).onsuccess = spin;
  };
  transaction.oncomplete = () => database.close();
  spin();
}

/** Puts something else where the root record of `session` is. */
export async function damage(name: string, session: string): Promise<void> {
  const database = await opened(name);
  await settled(database.transaction(['records'], 'readwrite').objectStore('records').put('spoilt', [session, 'root']));
  database.close();
}

export async function remove(name: string): Promise<void> {
  await settled(factory().deleteDatabase(name));
}

/** As the store makes it, for whoever comes first. */
function opened(name: string): Promise<Database> {
  const request = factory().open(name, 1);
  request.onupgradeneeded = () => ['records', 'quarantine', 'keys'].forEach((store) => request.result.createObjectStore(store));
  return settled(request);
}

function settled<T>(request: Request<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    // A clause that broke may have left a connection open: the engine deletes the database when the page is gone.
    request.onblocked = () => reject(new Error('blocked'));
  });
}

function factory(): Factory {
  if (typeof indexedDB === 'undefined') throw new Error('there is no IndexedDB here');
  return indexedDB;
}

interface Request<T> {
  readonly result: T;
  readonly error: unknown;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
  onblocked?: (() => void) | null;
}
interface OpenRequest extends Request<Database> {
  onupgradeneeded: (() => void) | null;
}
interface Table {
  get(key: number): Request<unknown>;
  put(value: unknown, key: readonly string[]): Request<unknown>;
}
interface Database {
  readonly objectStoreNames: Iterable<string>;
  createObjectStore(name: string): unknown;
  transaction(stores: readonly string[], mode: string): { objectStore(name: string): Table; oncomplete: (() => void) | null };
  close(): void;
}
interface Factory {
  open(name: string, version: number): OpenRequest;
  deleteDatabase(name: string): Request<unknown>;
}
declare const indexedDB: Factory | undefined;
