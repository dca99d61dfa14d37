// Sessions in Cloudflare D1, for a Worker without Durable Objects. A batch is one transaction: its first statement compares and
// counts up, and the others write where that one left the id of this operation.
import { injected, type InjectedBatch, type InjectedStore, type Store } from 'compaction-governor';

/** What is used of a `D1Database` binding. */
export interface D1 {
  prepare(query: string): D1Statement;
  batch(statements: D1Statement[]): Promise<D1Result[]>;
}
export interface D1Statement {
  bind(...values: (string | number | null | Uint8Array)[]): D1Statement;
}
export interface D1Result {
  results: Record<string, unknown>[];
  meta: { changes: number };
}

/** Run it once, as a migration. */
export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS governor_heads (session TEXT PRIMARY KEY, revision INTEGER NOT NULL, op TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS governor_parts (session TEXT, part TEXT, bytes BLOB NOT NULL, PRIMARY KEY (session, part)) WITHOUT ROWID;`;

/** `prefix` keeps conversations apart from those of others in the same tables. */
export function d1Store(db: D1, prefix = 'chat'): Store {
  return injected(new D1Sessions(db, `${prefix}/`));
}

class D1Sessions implements InjectedStore {
  /** A row holds 2 MB, its other columns included. */
  readonly capabilities = { survives: 'kill', maxValueBytes: 1_990_000 } as const;

  constructor(
    readonly db: D1,
    readonly prefix: string,
  ) {}

  async load(id: string) {
    const session = this.prefix + id;
    const [head, parts] = await this.db.batch([
      this.#bound('SELECT revision FROM governor_heads WHERE session = ?', session),
      this.#bound('SELECT part, bytes FROM governor_parts WHERE session = ?', session),
    ]);
    const revision = head?.results[0]?.['revision'];
    if (revision === undefined) return null;
    return { revision: Number(revision), parts: new Map(parts?.results.map(({ part, bytes }) => [String(part), bytesOf(bytes)])) };
  }

  async commit(id: string, expected: number | null, { puts, deletes }: InjectedBatch, op: string) {
    const session = this.prefix + id;
    const revision = (expected ?? 0) + 1;
    const compared =
      expected === null
        ? this.#bound('INSERT INTO governor_heads VALUES (?, ?, ?) ON CONFLICT DO NOTHING', session, revision, op)
        : this.#bound('UPDATE governor_heads SET revision = ?, op = ? WHERE session = ? AND revision = ?', revision, op, session, expected);
    const ours = 'EXISTS (SELECT 1 FROM governor_heads WHERE session = ? AND op = ?)';
    const [first, ...rest] = await this.db.batch([
      compared,
      ...deletes.map((part) => this.#bound(`DELETE FROM governor_parts WHERE session = ? AND part = ? AND ${ours}`, session, part, session, op)),
      ...[...puts].map(([part, bytes]) => this.#bound(`INSERT OR REPLACE INTO governor_parts SELECT ?, ?, ? WHERE ${ours}`, session, part, bytes, session, op)),
      this.#bound('SELECT revision FROM governor_heads WHERE session = ?', session),
    ]);
    return first?.meta.changes === 1 ? { revision } : { conflict: actual(rest.at(-1)) };
  }

  async list(after: string | undefined, limit: number) {
    const query = 'SELECT session FROM governor_heads WHERE session > ? AND substr(session, 1, length(?)) = ? ORDER BY session LIMIT ?';
    const [page] = await this.db.batch([this.#bound(query, after === undefined ? '' : this.prefix + after, this.prefix, this.prefix, limit)]);
    return page?.results.map(({ session }) => String(session).slice(this.prefix.length)) ?? [];
  }

  async remove(id: string, expected: number | undefined) {
    const session = this.prefix + id;
    const [found] = await this.db.batch([
      this.#bound('SELECT revision FROM governor_heads WHERE session = ?', session),
      expected === undefined
        ? this.#bound('DELETE FROM governor_heads WHERE session = ?', session)
        : this.#bound('DELETE FROM governor_heads WHERE session = ? AND revision = ?', session, expected),
      this.#bound('DELETE FROM governor_parts WHERE session = ? AND NOT EXISTS (SELECT 1 FROM governor_heads WHERE session = ?)', session, session),
    ]);
    return expected === undefined || actual(found) === expected ? undefined : { conflict: actual(found) };
  }

  #bound(query: string, ...values: (string | number | null | Uint8Array)[]): D1Statement {
    return this.db.prepare(query).bind(...values);
  }
}

function actual(head: D1Result | undefined): number | null {
  const revision = head?.results[0]?.['revision'];
  return revision === undefined ? null : Number(revision);
}

/** D1 answers with a list of numbers. */
function bytesOf(value: unknown): Uint8Array {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : Uint8Array.from(Array.isArray(value) ? value.map(Number) : []);
}
