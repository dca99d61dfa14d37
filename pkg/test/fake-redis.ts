// Redis as far as the example uses it: connections of a pool over one set of keys, WATCH and EXEC as the server has them,
// and a turn of the event loop for every command, so that two connections interleave.

import type { RedisConnection, RedisPool, RedisTransaction } from '../examples/redis-store.js';

class WatchError extends Error {}

export class FakeRedis implements RedisPool {
  readonly hashes = new Map<string, Map<string, string>>();
  readonly sorted = new Map<string, Set<string>>();
  readonly connections = new Set<Connection>();

  /** With `watches` false it is a Redis whose users forgot to WATCH. */
  constructor(readonly watches = true) {}

  async execute<T>(work: (connection: RedisConnection) => Promise<T>): Promise<T> {
    const connection = new Connection(this);
    this.connections.add(connection);
    try {
      return await work(connection);
    } finally {
      this.connections.delete(connection);
    }
  }

  touch(key: string): void {
    for (const connection of this.connections) connection.touched(key);
  }
}

class Connection implements RedisConnection {
  readonly #watched = new Set<string>();
  #dirty = false;

  constructor(readonly redis: FakeRedis) {}

  touched(key: string): void {
    this.#dirty ||= this.#watched.has(key);
  }

  async watch(key: string): Promise<void> {
    await turn();
    if (this.redis.watches) this.#watched.add(key);
  }

  async unwatch(): Promise<void> {
    await turn();
    this.endWatch();
  }

  async hGet(key: string, field: string): Promise<string | null> {
    await turn();
    return this.redis.hashes.get(key)?.get(field) ?? null;
  }

  async hGetAll(key: string): Promise<Record<string, string>> {
    await turn();
    return Object.fromEntries(this.redis.hashes.get(key) ?? []);
  }

  async zRange(key: string, min: string, max: string, { LIMIT }: { BY: 'LEX'; LIMIT: { offset: number; count: number } }): Promise<string[]> {
    await turn();
    if (max !== '+' || (min !== '-' && !min.startsWith('('))) throw new TypeError('a range that this one does not know');
    const behind = [...(this.redis.sorted.get(key) ?? [])].sort(byBytes).filter((value) => min === '-' || byBytes(value, min.slice(1)) > 0);
    return behind.slice(LIMIT.offset, LIMIT.offset + LIMIT.count);
  }

  multi(): RedisTransaction {
    return new Transaction(this);
  }

  /** Whether a watched key was changed; nothing is watched any more. */
  endWatch(): boolean {
    const dirty = this.#dirty;
    this.#watched.clear();
    this.#dirty = false;
    return dirty;
  }
}

class Transaction implements RedisTransaction {
  readonly #queued: (() => void)[] = [];

  constructor(readonly connection: Connection) {}

  hSet(key: string, fields: Record<string, string>): this {
    return this.#queue(key, ({ hashes }) => {
      const hash = hashes.get(key) ?? new Map();
      for (const [field, value] of Object.entries(fields)) hash.set(field, value);
      hashes.set(key, hash);
    });
  }

  hDel(key: string, fields: string[]): this {
    return this.#queue(key, ({ hashes }) => fields.forEach((field) => hashes.get(key)?.delete(field)));
  }

  del(key: string): this {
    return this.#queue(key, ({ hashes }) => hashes.delete(key));
  }

  zAdd(key: string, { value }: { score: number; value: string }): this {
    return this.#queue(key, ({ sorted }) => sorted.set(key, (sorted.get(key) ?? new Set()).add(value)));
  }

  zRem(key: string, value: string): this {
    return this.#queue(key, ({ sorted }) => sorted.get(key)?.delete(value));
  }

  async exec(): Promise<void> {
    await turn();
    if (this.connection.endWatch()) throw new WatchError('a watched key was changed');
    for (const command of this.#queued) command();
  }

  #queue(key: string, command: (redis: FakeRedis) => unknown): this {
    const { redis } = this.connection;
    this.#queued.push(() => {
      command(redis);
      redis.touch(key);
    });
    return this;
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The server compares bytes, not UTF-16. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
