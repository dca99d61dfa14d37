// The host's own messages, one row each. Nothing is ever taken out of it; a wake reads what lies behind the summary.
import type { ChatMessage } from 'compaction-governor';

export type Kept = ChatMessage & { id: string };

export class Transcript {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec('CREATE TABLE IF NOT EXISTS messages (n INTEGER PRIMARY KEY, role TEXT NOT NULL, content TEXT NOT NULL)');
  }

  append(role: 'user' | 'assistant', content: string): void {
    this.#sql.exec('INSERT INTO messages (role, content) VALUES (?, ?)', role, content);
  }

  /** All messages behind the one called `after`. */
  behind(after: string | undefined): Kept[] {
    const from = after === undefined ? 0 : Number(after.slice(ID.length));
    const rows = this.#sql.exec<{ n: number; role: 'user' | 'assistant'; content: string }>('SELECT n, role, content FROM messages WHERE n > ? ORDER BY n', from);
    return Array.from(rows, ({ n, role, content }) => ({ id: `${ID}${n}`, role, content }));
  }
}

const ID = 'm';
