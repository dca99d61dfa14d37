// sessions(store): what a list of chats needs. Each reads or writes the store itself; no session has to be open.

import { Core, CoreSettings, decodeRecord, type StoreHandle } from './boundary/glue.js';
import { Life } from './boundary/guard.js';
import { brand, compactionError } from './errors.js';
import { announceRemoval } from './session/hints.js';
import { openedIn, randomWords } from './session/open.js';
import { handleOf, scopeOf } from './stores.js';
import type { ListedSession, Sessions, Store } from './surface.js';

export function sessions(store: Store): Sessions {
  handleOf(store);
  return new StoredSessions(store);
}

class StoredSessions implements Sessions {
  readonly #store: Store;
  constructor(store: Store) {
    this.#store = store;
  }

  /** Asked for each time: a fault may have ended the instance that the last one was in. */
  get #handle(): StoreHandle {
    return handleOf(this.#store);
  }

  async *list(): AsyncGenerator<ListedSession, void, undefined> {
    let after: string | undefined;
    do {
      const handle = this.#handle;
      const from = after;
      const ids: readonly string[] = await coded(() => handle.listSessions(from, PAGE));
      for (const id of ids) {
        const found = await this.#look(id);
        if (found) yield found;
      }
      after = ids.length < PAGE ? undefined : ids.at(-1);
    } while (after !== undefined);
  }

  /** A session that is open in this page forgets what it holds, too: else it would show and write a summary that was deleted. */
  async remove(id: string): Promise<void> {
    const opened = openedIn(this.#store, checked('id', id));
    if (opened) await opened.removeAndForget();
    else {
      await this.#as(id, (core) => core.remove());
      announceRemoval(scopeOf(this.#store, id));
    }
  }

  async fork(from: string, to: string): Promise<void> {
    checked('to', to);
    return this.import(await this.export(from), to);
  }

  async export(id: string): Promise<Uint8Array> {
    await openedIn(this.#store, checked('id', id))?.flush();
    const handle = this.#handle;
    return coded(() => handle.exportSession(id));
  }

  async import(bytes: Uint8Array, as?: string): Promise<void> {
    if (!(bytes instanceof Uint8Array)) throw compactionError('invalid_option', 'bytes is no Uint8Array; pass what export gave');
    if (as !== undefined) checked('as', as);
    const handle = this.#handle;
    return coded(() => handle.importSession(bytes, as, ...randomWords(), Date.now()));
  }

  async #look(id: string): Promise<ListedSession | undefined> {
    const records = await this.#as(id, (core) => core.records()).catch(unreadable);
    if (!records) return { id, bytes: 0 };
    const root = records.find(({ part }) => part === 'root');
    if (!root) return undefined;
    const bytes = records.reduce((sum, record) => sum + record.bytes.length, 0);
    const updatedAt = decodeRecord(root.bytes, id)?.updatedAt;
    return typeof updatedAt === 'number' ? { id, bytes, updatedAt } : { id, bytes };
  }

  /** What a session does to its own records, without one that is open. */
  async #as<T>(id: string, operation: (core: Core) => Promise<T>): Promise<T> {
    const handle = this.#handle;
    const life = Life.current;
    const core = new Core(id, handle, new CoreSettings(), ...randomWords());
    return coded(() => operation(core)).finally(() => life.over || core.free());
  }
}

/** Something is there and the store cannot read it: it is listed, so that it can be removed. */
function unreadable(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'corrupt') return undefined;
  throw error;
}

function checked(name: string, id: unknown): string {
  if (typeof id === 'string' && id !== '') return id;
  throw compactionError('invalid_option', `${name} is ${JSON.stringify(id)}; pass a conversation's id, a string that is not empty`);
}

async function coded<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await Life.current.outlived(ask);
  } catch (error) {
    throw brand(error);
  }
}

/** Ids asked for at a time: each session is read by itself, so that a longer page saves nothing. */
const PAGE = 64;
