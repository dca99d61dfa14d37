// Sessions in Redis, for a server of yours: one hash per session, compared and written between WATCH and EXEC.
import { injected, type InjectedBatch, type InjectedStore, type Store } from 'compaction-governor';

/** What is used of a pool as `createClientPool()` of the package `redis` makes one: WATCH belongs to a connection, so each commit takes one of its own. */
export interface RedisPool {
  execute<T>(work: (connection: RedisConnection) => Promise<T>): Promise<T>;
}
export interface RedisConnection {
  watch(key: string): Promise<unknown>;
  unwatch(): Promise<unknown>;
  hGet(key: string, field: string): Promise<string | null | undefined>;
  hGetAll(key: string): Promise<Record<string, string>>;
  zRange(key: string, min: string, max: string, options: { BY: 'LEX'; LIMIT: { offset: number; count: number } }): Promise<string[]>;
  multi(): RedisTransaction;
}
export interface RedisTransaction {
  hSet(key: string, fields: Record<string, string>): RedisTransaction;
  hDel(key: string, fields: string[]): RedisTransaction;
  del(key: string): RedisTransaction;
  zAdd(key: string, member: { score: number; value: string }): RedisTransaction;
  zRem(key: string, value: string): RedisTransaction;
  /** Fails with a `WatchError` where the watched key was changed meanwhile. */
  exec(): Promise<unknown>;
}

/** `prefix` keeps conversations apart from whatever else is in this Redis. */
export function redisStore(pool: RedisPool, prefix = 'compaction-governor'): Store {
  return injected(new RedisSessions(pool, prefix));
}

class RedisSessions implements InjectedStore {
  /** What a kill of this process survives; what a kill of Redis does is for its `appendfsync` to say. */
  readonly capabilities = { survives: 'kill' } as const;
  readonly #ids: string;

  constructor(
    readonly pool: RedisPool,
    readonly prefix: string,
  ) {
    this.#ids = `${prefix}:ids`;
  }

  load(session: string) {
    return this.pool.execute(async (connection) => {
      const { revision, ...parts } = await connection.hGetAll(this.#key(session));
      if (revision === undefined) return null;
      return { revision: Number(revision), parts: new Map(Object.entries(parts).map(([part, text]) => [part, bytesOf(text)])) };
    });
  }

  commit(session: string, expected: number | null, { puts, deletes }: InjectedBatch) {
    const revision = (expected ?? 0) + 1;
    const fields: Record<string, string> = { revision: String(revision) };
    for (const [part, bytes] of puts) fields[part] = textOf(bytes);
    return this.#compared(session, expected, { revision }, (transaction, key) => {
      transaction.hSet(key, fields).zAdd(this.#ids, { score: 0, value: session });
      if (deletes.length > 0) transaction.hDel(key, [...deletes]);
    });
  }

  list(after: string | undefined, limit: number) {
    const range = { BY: 'LEX', LIMIT: { offset: 0, count: limit } } as const;
    return this.pool.execute((connection) => connection.zRange(this.#ids, after === undefined ? '-' : `(${after}`, '+', range));
  }

  remove(session: string, expected: number | undefined) {
    return this.#compared(session, expected, undefined, (transaction, key) => transaction.del(key).zRem(this.#ids, session));
  }

  /** Writes if the session is at revision `expected`; `undefined` takes any. A key that changes meanwhile is looked at again. */
  #compared<T>(session: string, expected: number | null | undefined, done: T, write: (transaction: RedisTransaction, key: string) => void): Promise<T | { conflict: number | null }> {
    const key = this.#key(session);
    return this.pool.execute(async (connection) => {
      for (;;) {
        await connection.watch(key);
        const held = await connection.hGet(key, 'revision');
        const actual = held == null ? null : Number(held);
        if (expected !== undefined && actual !== expected) {
          await connection.unwatch();
          return { conflict: actual };
        }
        const transaction = connection.multi();
        write(transaction, key);
        if (await executed(transaction)) return done;
      }
    });
  }

  #key(session: string): string {
    return `${this.prefix}:session:${session}`;
  }
}

async function executed(transaction: RedisTransaction): Promise<boolean> {
  try {
    await transaction.exec();
    return true;
  } catch (error) {
    if (error instanceof Error && error.constructor.name === 'WatchError') return false;
    throw error;
  }
}

/** As text, so that it does not depend on how the client is told to read replies. */
function textOf(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

declare function btoa(binary: string): string;
declare function atob(text: string): string;
