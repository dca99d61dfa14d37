import type { Chat } from './host.js';

/** The host's own storage for its chats: a database apart from the governor's. Where there is none, chats live as long as the page. */
export const chats = {
  /** The chat with this id, if it was kept. */
  load(id: string): Promise<Chat | undefined> {
    return withStore('readonly', (store) => store.get(id));
  },
  /** Keeps it as it is now. */
  async save(id: string, chat: Chat): Promise<void> {
    await withStore('readwrite', (store) => store.put(structuredClone(chat), id));
  },
  /** Forgets it. */
  async remove(id: string): Promise<void> {
    await withStore('readwrite', (store) => store.delete(id));
  },
};

async function withStore<T>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  const database = await open();
  if (database === undefined) return undefined;
  return new Promise((resolve) => {
    const transaction = database.transaction(STORE, mode);
    const request = use(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => resolve(undefined);
  });
}

function open(): Promise<IDBDatabase | undefined> {
  opened ??= new Promise((resolve) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(undefined);
  });
  return opened;
}

let opened: Promise<IDBDatabase | undefined> | undefined;
const DATABASE = 'scripted-host';
const STORE = 'chats';
