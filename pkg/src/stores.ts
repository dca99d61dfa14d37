// Stores as users name them: frozen objects without methods. What is behind one comes to life with its first session.

import { __wbg_reset_state, StoreHandle } from './boundary/glue.js';
import { Life } from './boundary/guard.js';
import { branded, compactionError } from './errors.js';
import type { Store } from './surface.js';

/** The same name gives the same store, so that sessions opened through it are the same objects too. */
export function indexedDb(options: { name?: string } = {}): Store {
  const { name } = options;
  return shared(`indexed_db ${name ?? ''}`, 'indexed_db', () => StoreHandle.indexedDb(name));
}

export function localStorageStore(options: { prefix?: string } = {}): Store {
  const { prefix } = options;
  return shared(`local_storage ${prefix ?? ''}`, 'local_storage', () => StoreHandle.localStorage(prefix));
}

/** Forgets with the process. Each call is a store of its own. */
export function memory(): Store {
  return create('memory', () => StoreHandle.memory());
}

/** The open handle behind `store`, in an instance that lives. */
export function handleOf(store: Store): StoreHandle {
  const entry = typeof store === 'object' && store !== null ? opened.get(store) : undefined;
  if (!entry) throw compactionError('invalid_option', 'store is not one of this package; pass indexedDb(), localStorageStore(), memory() or injected(object)');
  if (Life.current.over) __wbg_reset_state();
  if (entry.life !== Life.current) entry.handle = undefined;
  entry.life = Life.current;
  return (entry.handle ??= branded(entry.open));
}

function shared(key: string, kind: string, open: () => StoreHandle): Store {
  const known = byName.get(key);
  if (known) return known;
  const store = create(kind, open);
  byName.set(key, store);
  return store;
}

/** A store that {@link handleOf} knows. */
export function create(kind: string, open: () => StoreHandle): Store {
  const store = Object.freeze({ kind });
  opened.set(store, { open });
  return store;
}

const byName = new Map<string, Store>();
const opened = new WeakMap<Store, { readonly open: () => StoreHandle; handle?: StoreHandle | undefined; life?: Life }>();
