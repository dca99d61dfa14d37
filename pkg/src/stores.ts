// Stores as users name them: frozen objects without methods. What is behind one comes to life with its first session.

import { __wbg_reset_state, StoreHandle } from './boundary/glue.js';
import { Life, requireStarted } from './boundary/guard.js';
import { copies, VERSION } from './copies.js';
import { DESCRIBED, type Described } from './described.js';
import { branded, compactionError } from './errors.js';
import { aesGcm, unreadableKey } from './seal.js';
import type { Codec, CompactionError, Store } from './surface.js';

/** The same name gives the same store, so that sessions opened through it are the same objects too. */
export function indexedDb(options: { name?: string; seal?: boolean | Codec; persist?: boolean; durability?: 'strict' | 'relaxed' } = {}): Store {
  const store = database(options);
  if (options.persist ?? true) keepers.add(store);
  return store;
}

/** Whether the browser is to be asked to keep what is in `store`. */
export function wantsToPersist(store: Store): boolean {
  return keepers.has(store);
}

/** Whether one object has `store` to itself: who finds an attempt running there that is not its own finds one that nobody works on. It sleeps between requests, unless a timer runs. */
export function isAlone(store: Store): boolean {
  return alone.has(store);
}

export function ofOneObject(store: Store): Store {
  alone.add(store);
  return store;
}

function database({ name, seal = false, durability = 'relaxed' }: { name?: string; seal?: boolean | Codec; durability?: 'strict' | 'relaxed' }): Store {
  if (!['strict', 'relaxed'].includes(durability)) throw compactionError('invalid_option', "durability is neither 'strict' nor 'relaxed'; pass one of them or leave it out");
  const strict = durability === 'strict';
  const described = { kind: 'indexed_db', name, strict } as const;
  const scope = `indexed_db ${name ?? OURS}`;
  const key = strict ? `strict ${scope}` : scope;
  if (typeof seal === 'object') return shared(key, described, () => StoreHandle.indexedDb(strict, name, seal), of(byCodec, seal), scope);
  if (!seal) return shared(key, described, () => StoreHandle.indexedDb(strict, name), plain, scope);
  return shared(`sealed ${key}`, described, () => {
    const handle: StoreHandle = StoreHandle.indexedDb(strict, name, aesGcm(async () => handle.key(await unreadableKey())));
    return handle;
  }, plain, scope);
}

export function localStorageStore(options: { prefix?: string } = {}): Store {
  const { prefix } = options;
  const key = `local_storage ${prefix ?? OURS}`;
  return shared(key, { kind: 'local_storage', name: prefix }, () => StoreHandle.localStorage(prefix), plain, key);
}

/** Forgets with the process. Each call is a store of its own. */
export function memory(): Store {
  return create({ kind: 'memory' }, () => StoreHandle.memory());
}

/** The open handle behind `store`, in an instance that lives. */
export function handleOf(store: Store): StoreHandle {
  const entry = typeof store === 'object' && store !== null ? opened.get(store) : undefined;
  requireStarted();
  if (!entry) throw strange(store);
  if (Life.current.over) __wbg_reset_state();
  if (entry.life !== Life.current) entry.handle = undefined;
  entry.life = Life.current;
  return (entry.handle ??= branded(entry.open));
}

/** A store that looks like ours was made by another copy: of this package, or of another version. */
function strange(store: unknown): CompactionError {
  const alike = typeof store === 'object' && store !== null && DESCRIBED in store;
  if (!alike) return compactionError('invalid_option', 'store is not one of this package; pass indexedDb(), localStorageStore(), memory(), durableObject(storage) or injected(object)');
  const loaded = copies().join(' and ');
  return compactionError('two_copies', `store was made by another copy of this package than the one that is to open it, ${VERSION}; nothing was opened; loaded are ${loaded}: see \`npm ls compaction-governor\`, and import or require it, not both`);
}

/** What a session in `store` is called among all tabs of an origin; nothing where only this page can have it. */
export function scopeOf(store: Store, sessionId: string): string | undefined {
  const name = names.get(store);
  return name === undefined ? undefined : `${name}/${sessionId}`;
}

/** `scope`: what tabs that have the same records call them, however the store was opened. */
function shared(key: string, described: Described, open: () => StoreHandle, byName: Map<string, Store>, scope: string): Store {
  const known = byName.get(key);
  if (known) return known;
  const store = create(described, open);
  byName.set(key, store);
  names.set(store, scope);
  return store;
}

/** A store that {@link handleOf} knows, and the suite of `compaction-governor/conformance` too. */
export function create(described: Described, open: () => StoreHandle): Store {
  const store = Object.freeze({ kind: described.kind, [DESCRIBED]: Object.freeze(described) });
  opened.set(store, { open });
  return store;
}

function of(byCodec: WeakMap<Codec, Map<string, Store>>, codec: Codec): Map<string, Store> {
  const known = byCodec.get(codec) ?? new Map<string, Store>();
  byCodec.set(codec, known);
  return known;
}

const plain = new Map<string, Store>();
/** The same codec around the same database is the same store. */
const byCodec = new WeakMap<Codec, Map<string, Store>>();
const names = new WeakMap<Store, string>();
const keepers = new WeakSet<Store>();
const alone = new WeakSet<Store>();
const opened = new WeakMap<Store, { readonly open: () => StoreHandle; handle?: StoreHandle | undefined; life?: Life }>();
/** The crate's default names. */
const OURS = 'compaction-governor';
