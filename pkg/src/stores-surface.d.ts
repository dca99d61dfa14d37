// The public surface of compaction-governor: stores, and whole sessions in them. The build copies it to dist/stores.d.ts.

export interface Store { readonly kind: string }
/**
 * `seal`: what is kept is sealed with AES-GCM before it is written, by a key that the browser makes, keeps in the same database and hands to
 * no script; or by a codec of yours. Ids of sessions, lengths and times of writing can be seen all the same. It keeps the content from whoever
 * reads the files of the browser, not from a script in your page. A lost key is a lost record: it goes to the quarantine, the session starts
 * anew and with care (`found: 'quarantined'`). Opened without `seal`, a sealed session is `read_only` and stays as it is.
 *
 * `persist: false`: the browser is not asked to keep the storage (Firefox asks the person).
 *
 * `durability: 'strict'`: the engine is asked for a flush to the disk before a commit counts, for where power may fail; slower each time.
 * `'relaxed'`, the default, survives a killed browser as well. Of both kinds there may be stores on one database.
 */
export function indexedDb(options?: { name?: string; seal?: boolean | Codec; persist?: boolean; durability?: 'strict' | 'relaxed' }): Store;
export function localStorageStore(options?: { prefix?: string }): Store;
export function memory(): Store;
/**
 * Any object of yours that can compare and swap: over Redis, D1, a native shell. The same object gives the same store, with the same `seal`.
 * Throws `invalid_option` for what lacks `load` or `commit`, and `no_compare_and_swap` for what says that it cannot
 * compare, and for a mere key-value store (`get`, `put`): two writers would overwrite each other unseen.
 */
export function injected(store: InjectedStore, options?: { seal?: Codec }): Store;
/**
 * The storage of a Durable Object, `this.ctx.storage`. No timer runs, so that the object can hibernate: set an alarm at the snapshot's `wakeAt`.
 * A part above 2 MB is refused before the write. Throws `invalid_option`, and `no_compare_and_swap` for Workers KV.
 */
export function durableObject(storage: DurableStorageLike): Store;
export interface DurableStorageLike { transactionSync<T>(closure: () => T): T; readonly kv: SyncKvLike }
export interface SyncKvLike { get(key: string): unknown; put(key: string, value: unknown): void; delete(key: string): unknown; list(options: { prefix?: string; startAfter?: string; limit?: number }): Iterable<[string, unknown]> }
/** AES-GCM under a key of yours, as a codec. Each part gets a nonce of its own and is bound to its session and name. */
export function aesGcm(key: SealingKey | (() => Promise<SealingKey>)): Codec;
/** The platform's CryptoKey where there is one; no DOM library needed. */
export type SealingKey = typeof globalThis extends { CryptoKey: { prototype: infer T } } ? T : { readonly extractable: boolean };
/**
 * What seals the parts of sessions, for `seal`. `about` names session and part; what was sealed about one thing must not open about another.
 * What throws, rejects or takes longer than ten seconds counts as a key that cannot be had now (`key_unavailable`): nothing is written, the
 * session goes on in memory and tries again. Sealed bytes may be at most 128 longer.
 */
export interface Codec {
  seal(bytes: Uint8Array, about: Uint8Array): MaybePromise<Uint8Array>;
  /** `undefined` where its key is lost for good, or where these are not the bytes that were sealed: they are set aside. */
  open(sealed: Uint8Array, about: Uint8Array): MaybePromise<Uint8Array | undefined>;
}
/**
 * What you write for `injected`. Every method may answer with a value, which costs no turn of the event loop, or with a
 * promise, which is given up after ten seconds. What is thrown, rejected or answered in another shape never reaches the
 * conversation: the session goes on in memory, says `degraded`, and tries again. `checkStore` of
 * `compaction-governor/conformance` tells whether yours keeps this contract.
 *
 * Session ids are any strings; those that begin with `compaction-governor/quarantine/` hold records that could not be read,
 * and are yours to keep like the others. Parts are named `root` or by a number (`"0"`, `"17"`). Bytes are opaque: give
 * them back bit for bit.
 */
export interface InjectedStore {
  /** What it keeps. What is not said is not relied on: by default a commit survives nothing, and values may be of any size. */
  readonly capabilities?: InjectedCapabilities;
  /** All parts of a session as of one commit, and how often it was committed; `null` where it was never, or was removed. */
  load(session: string): MaybePromise<InjectedRecord | null | undefined>;
  /**
   * In one transaction: compares the session's revision with `expectedRevision` (`null`: there must be nothing), and if they
   * are equal writes all of `batch` and counts the revision one up, 1 for the first; else writes nothing and answers with
   * the actual revision. Answers only when it is kept. `opId` tells a repeated call from a new one, for your own logs; you
   * need not keep it.
   */
  commit(session: string, expectedRevision: number | null, batch: InjectedBatch, opId: string): MaybePromise<{ readonly revision: number } | { readonly conflict: number | null }>;
  /** Ids of sessions, each once, in an order that does not change, behind `after`; as many as you like of them, none at the end. Without it, `sessions(store).list` fails. */
  list?(after: string | undefined, limit: number): MaybePromise<readonly string[]>;
  /** Deletes all of a session; with `expectedRevision` only at that one. Without it, `remove` fails. */
  remove?(session: string, expectedRevision: number | undefined): MaybePromise<void | { readonly conflict: number | null }>;
  /** The store will not be used again. */
  close?(): MaybePromise<void>;
}
export interface InjectedRecord { readonly revision: number; readonly parts: ReadonlyMap<string, Uint8Array> }
/** No part is both put and deleted. Deleting what is not there is no error. */
export interface InjectedBatch { readonly puts: ReadonlyMap<string, Uint8Array>; readonly deletes: readonly string[] }
export interface InjectedCapabilities {
  /** Between whom revisions are compared: `all` writers there are (the default), those of `one_context`, or `none`, which is refused. */
  readonly compareAndSwap?: 'all' | 'one_context' | 'none';
  /** What an acknowledged commit survives: `nothing` (the default), a `reload` of the page, a `kill` of the process. */
  readonly survives?: 'nothing' | 'reload' | 'kill';
  /** The longest value in bytes; a longer one is refused before you are asked. */
  readonly maxValueBytes?: number;
}
export type MaybePromise<T> = T | Promise<T>;
/** What a chat list needs: which chats there are, and deleting, copying and carrying one. No session has to be open. */
export function sessions(store: Store): Sessions;
export interface Sessions {
  /** Everything that is kept, each once, read as you iterate. Removing while iterating skips none. */
  list(): AsyncIterable<ListedSession>;
  /** Removes everything that is kept for this id, whatever its state. A session of this page that is open on it begins anew. One of another tab
   * notices with its next write: it drops summary, pins and history, keeps its pauses, and writes nothing until its user goes on. */
  remove(id: string): Promise<void>;
  /**
   * Copies summary, history, pins and guards to another id, in one write. An attempt that is running stays with the original. Rejects with
   * `unknown_session`, `session_exists`, `unreadable_record` or `newer_record`; nothing is changed then.
   */
  fork(from: string, to: string): Promise<void>;
  /** All that is kept for this id, as bytes for `import`, here or elsewhere. They hold the summary's text. */
  export(id: string): Promise<Uint8Array>;
  /**
   * Writes what was exported, byte for byte, or as `fork` does under the id `as`; in one write. Rejects with `not_an_archive`,
   * `damaged_archive`, `newer_archive` and as `fork` does. After `applied: 'unknown'` ask again: `session_exists` then means that it was written.
   */
  import(bytes: Uint8Array, as?: string): Promise<void>;
}
export interface ListedSession {
  readonly id: string;
  /** What its records take, without the store's own overhead; 0 where the store holds something that it cannot read. */
  readonly bytes: number;
  /**
   * The newest instant that its record names: a report, the start or end of an attempt, a commit. Absent where it names none, or where this
   * release cannot read it.
   */
  readonly updatedAt?: number;
}
