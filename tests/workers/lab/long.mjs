// An object with a history far larger than its memory may become: it reads what lies behind the summary.
import { DurableObject } from 'cloudflare:workers';
import { durableObject, openSession } from 'compaction-governor';

export class Long extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS m (n INTEGER PRIMARY KEY, body TEXT NOT NULL)');
    this.rowsRead = 0;
  }

  get session() {
    return openSession({ id: 'long', store: durableObject(this.ctx.storage), contextWindow: 32_000, summarize: async () => 'The user has talked at length. All was answered. Next: go on.' });
  }

  async fetch(request) {
    const [, , command] = new URL(request.url).pathname.split('/');
    return Response.json({ answer: await this[command](await request.json()) });
  }

  /** Messages of 200 KB, most of it a picture, which were summarised as they came. */
  async grow({ megabytes }) {
    const url = `data:image/png;base64,${'iVBORw0KGgo'.repeat(18_000)}`;
    for (let n = 0; n < megabytes * 5; n += 1) {
      const content = [{ type: 'text', text: `${n} ${'lorem ipsum dolor sit amet '.repeat(60)}` }, { type: 'image_url', image_url: { url } }];
      this.ctx.storage.sql.exec('INSERT INTO m (body) VALUES (?)', JSON.stringify({ role: n % 2 ? 'assistant' : 'user', content }));
      if (n % 5 === 4) await this.turn();
    }
    return this.facts();
  }

  /** What a wake does: the rows behind the summary, a decision, a view. */
  async turn() {
    const { resumeAfter } = await this.session.ready;
    const latest = this.session.history().findLast(({ cleared }) => !cleared)?.throughId ?? resumeAfter;
    const messages = this.behind(latest);
    const step = await this.session.prepare(messages, latest === undefined ? {} : { after: latest });
    await step.done({ promptTokens: step.messages.length * 900 });
    return { rows: messages.length, sent: step.messages.length, action: step.decision.action, used: step.decision.usedTokens };
  }

  behind(after) {
    const cursor = this.ctx.storage.sql.exec('SELECT n, body FROM m WHERE n > ? ORDER BY n', after === undefined ? 0 : Number(after.slice(1)));
    const messages = Array.from(cursor, ({ n, body }) => ({ id: `m${n}`, ...JSON.parse(body) }));
    this.rowsRead = cursor.rowsRead;
    return messages;
  }

  facts() {
    return { messages: this.ctx.storage.sql.exec('SELECT count(*) AS n FROM m').one().n, bytes: this.ctx.storage.sql.databaseSize, rowsRead: this.rowsRead, compactions: this.session.getSnapshot().compactions };
  }
}

export default {
  fetch: (request, env) => env.LONG.get(env.LONG.idFromName('one')).fetch(request),
};
