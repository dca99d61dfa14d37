import { DurableObject } from 'cloudflare:workers';
import { durableObject, openSession, type ChatMessage } from 'compaction-governor';

const MODEL = '@cf/meta/llama-3.3-70b-instruct-fp8-fast';
const SMALL = '@cf/meta/llama-3.1-8b-instruct-fast';
interface Env { AI: { run(model: string, inputs: object): Promise<{ response: string }> } }

/** One conversation. Its class belongs under `new_sqlite_classes`. */
export class Conversation extends DurableObject<Env> {
  sql = this.ctx.storage.sql;
  created = this.sql.exec('CREATE TABLE IF NOT EXISTS messages (n INTEGER PRIMARY KEY, message TEXT)');

  /** Asked for with each request: the same object as long as it lives. */
  get session() {
    return openSession({
      id: this.ctx.id.toString(),
      store: durableObject(this.ctx.storage),
      contextWindow: 24_000,
      summarize: ({ messages, maxTokens }) => this.env.AI.run(SMALL, { messages, max_tokens: maxTokens }),
    });
  }

  async ask(content: string): Promise<string> {
    this.save({ role: 'user', content });
    const { response } = await this.session.run(this.load(), (messages) => this.env.AI.run(MODEL, { messages }));
    this.save({ role: 'assistant', content: response });
    const { decision, wakeAt } = this.session.getSnapshot();
    if (decision.action !== 'hold' && wakeAt) await this.ctx.storage.setAlarm(wakeAt);
    return response;
  }

  /** What had to wait, with nobody waiting for it. */
  override async alarm(): Promise<void> {
    await this.session.prepare(this.load());
  }

  load(): ChatMessage[] {
    return Array.from(this.sql.exec('SELECT message FROM messages ORDER BY n'), ({ message }) => JSON.parse(String(message)));
  }

  save(message: ChatMessage): void {
    this.sql.exec('INSERT INTO messages (message) VALUES (?)', JSON.stringify(message));
  }
}
