// The storage of a Durable Object. A commit reads, compares and writes inside one `transactionSync`, and awaits nothing: an
// input gate holds other requests back during awaits on storage alone, so that any other await would let one in between.
//
// One value holds root record and revision, one each of the other parts, so that a turn writes the rows that changed and no
// more. Keys name the length of the session's id, which makes no id the beginning of another one's keys.

import { StoreHandle } from './boundary/glue.js';
import { compactionError } from './errors.js';
import { fieldsAt, isFields } from './formats/shape/json.js';
import { create, ofOneObject } from './stores.js';
import { weak } from './weak.js';
import type { DurableStorageLike, InjectedBatch, InjectedRecord, InjectedStore, Store } from './surface.js';

export function durableObject(storage: DurableStorageLike): Store {
  refuseOtherShapes(storage);
  const known = byStorage.get(storage);
  if (known) return known;
  refuseOldBackEnd(storage);
  const described = { kind: 'injected', object: new ObjectStorage(() => storage), oneContext: false, survives: KILL, maxValueBytes: MOST_BYTES } as const;
  const store = ofOneObject(create(described, () => StoreHandle.injected(new ObjectStorage(weakly(storage)), false, KILL, MOST_BYTES)));
  byStorage.set(storage, store);
  return store;
}

class ObjectStorage implements InjectedStore {
  readonly #storage: () => DurableStorageLike;

  constructor(storage: () => DurableStorageLike) {
    this.#storage = storage;
  }

  load(session: string): InjectedRecord | null {
    return this.#inTransaction(({ kv }) => {
      const head = kv.get(rootKey(session));
      if (head === undefined) return null;
      const { revision, root } = headOf(head);
      const parts = new Map([[ROOT, root]]);
      const prefix = partKey(session, '');
      for (const [key, bytes] of kv.list({ prefix })) parts.set(key.slice(prefix.length), bytesOf(bytes));
      return { revision, parts };
    });
  }

  commit(session: string, expected: number | null, { puts, deletes }: InjectedBatch): { revision: number } | { conflict: number | null } {
    return this.#inTransaction(({ kv }) => {
      const head = kv.get(rootKey(session));
      const actual = head === undefined ? null : headOf(head).revision;
      if (actual !== expected) return { conflict: actual };
      const revision = (actual ?? 0) + 1;
      for (const part of deletes) kv.delete(partKey(session, part));
      for (const [part, bytes] of puts) if (part !== ROOT) kv.put(partKey(session, part), bytes);
      kv.put(rootKey(session), { revision, root: puts.get(ROOT) });
      return { revision };
    });
  }

  list(after: string | undefined, limit: number): string[] {
    const from = after === undefined ? {} : { startAfter: rootKey(after) };
    return this.#inTransaction(({ kv }) => [...kv.list({ prefix: ROOTS, limit, ...from })].map(([key]) => key.slice(ROOTS.length)));
  }

  remove(session: string, expected: number | undefined): void | { conflict: number | null } {
    return this.#inTransaction(({ kv }) => {
      const head = kv.get(rootKey(session));
      const actual = head === undefined ? null : headOf(head).revision;
      if (expected !== undefined && actual !== expected) return { conflict: actual };
      for (const [key] of [...kv.list({ prefix: partKey(session, '') })]) kv.delete(key);
      kv.delete(rootKey(session));
      return undefined;
    });
  }

  #inTransaction<T>(work: (storage: DurableStorageLike) => T): T {
    const storage = this.#storage();
    try {
      return storage.transactionSync(() => work(storage));
    } catch (error) {
      throw FULL.test(String(error)) ? Object.assign(new Error('the storage of this Durable Object is full', { cause: error }), { name: 'QuotaExceededError' }) : error;
    }
  }
}

/**
 * What the WebAssembly instance holds, it holds until the session ends, and an object that is evicted ends nothing: held
 * strongly, each evicted object would stay in memory with its sessions.
 */
function weakly(storage: DurableStorageLike): () => DurableStorageLike {
  const held = weak(storage);
  return () => {
    const found = held();
    if (!found) throw new Error('this Durable Object was evicted');
    return found;
  };
}

function refuseOtherShapes(storage: unknown): void {
  const object = isFields(storage) ? storage : {};
  if (typeof object.getWithMetadata === 'function') throw refusedWorkersKv();
  if (typeof object.transactionSync !== 'function' || !fieldsAt(object, 'kv')) throw compactionError('invalid_option', 'durableObject() was given no storage of a Durable Object; pass this.ctx.storage');
}

/** With the old back end all is there, and throws when it is used. */
function refuseOldBackEnd({ kv }: DurableStorageLike): void {
  try {
    kv.get(ROOTS);
  } catch (error) {
    // Storage that fails otherwise is the session's to tell of.
    if (/SQLite/.test(String(error))) throw compactionError('invalid_option', 'this Durable Object keeps its data in the old key-value back end, which has no synchronous transactions; declare its class under new_sqlite_classes');
  }
}

/** For `injected`, too: whoever has a namespace tries either. */
export function refusedWorkersKv(): Error {
  return compactionError(
    'no_compare_and_swap',
    'Workers KV compares nothing and may answer with what was there a minute ago: a cleared pause would come back, and two requests would overwrite each other unseen; keep sessions in a Durable Object by durableObject(ctx.storage), or in D1 behind injected()',
  );
}

/** What is there and was not written here reads as a damaged record, which goes to the quarantine. */
function headOf(value: unknown): { revision: number; root: Uint8Array } {
  const { revision, root } = isFields(value) ? value : {};
  return { revision: typeof revision === 'number' ? revision : 1, root: bytesOf(root) };
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array();
}

function rootKey(session: string): string {
  return ROOTS + session;
}

function partKey(session: string, part: string): string {
  return `compaction-governor/part/${session.length}/${session}/${part}`;
}

const byStorage = new WeakMap<DurableStorageLike, Store>();
const ROOT = 'root';
const ROOTS = 'compaction-governor/head/';
/** A commit that was answered survives a kill of the process: the reply waits behind the output gate until it is kept. */
const KILL = 2;
/** A row holds two mebibytes, its key and the serialised form included. */
const MOST_BYTES = 2 * 1_024 * 1_024 - 8_192;
const FULL = /SQLITE_FULL|database or disk is full|exceeded its maximum allowed storage/i;
