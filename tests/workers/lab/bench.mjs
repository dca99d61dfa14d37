// What is measured from outside, since no clock moves inside a request: the same turn with and without the governor, and many
// commits beside as many bare puts.
import { DurableObject } from 'cloudflare:workers';
import { durableObject, openSession } from 'compaction-governor';

export class Measured extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS m (n INTEGER PRIMARY KEY, body TEXT NOT NULL)');
    this.session = openSession({ id: 'measured', store: durableObject(ctx.storage), contextWindow: 200_000, summarize: async () => 'The user talks. All was answered. Next: go on.' });
  }

  async fetch(request) {
    const [, , command] = new URL(request.url).pathname.split('/');
    return Response.json({ answer: (await this[command](await request.json())) ?? null });
  }

  fill({ messages }) {
    for (let n = 0; n < messages; n += 1) this.keep(n % 2 ? 'assistant' : 'user', `${n} ${'lorem ipsum '.repeat(40)}`);
  }

  async turn({ governed }) {
    this.keep('user', 'and on');
    const messages = Array.from(this.ctx.storage.sql.exec('SELECT body FROM m ORDER BY n'), ({ body }) => JSON.parse(body));
    const send = async (sent) => ({ promptTokens: sent.length * 130 });
    await (governed ? this.session.run(messages, send) : send(messages));
    this.ctx.storage.sql.exec('DELETE FROM m WHERE n = (SELECT max(n) FROM m)');
  }

  commits({ count, bytes }) {
    const { object } = durableObject(this.ctx.storage)[Symbol.for('compaction-governor.store')];
    const puts = new Map([['root', new Uint8Array(bytes)]]);
    let revision = object.load('commits')?.revision ?? null;
    for (let n = 0; n < count; n += 1) ({ revision } = object.commit('commits', revision, { puts, deletes: [] }, String(n)));
  }

  puts({ count, bytes }) {
    const value = new Uint8Array(bytes);
    for (let n = 0; n < count; n += 1) this.ctx.storage.kv.put('bare', value);
  }

  /** The least that compares: a get and a put in one transaction. */
  gets({ count, bytes }) {
    const { kv } = this.ctx.storage;
    const value = new Uint8Array(bytes);
    for (let n = 0; n < count; n += 1) this.ctx.storage.transactionSync(() => (kv.get('bare'), kv.put('bare', value)));
  }

  keep(role, content) {
    this.ctx.storage.sql.exec('INSERT INTO m (body) VALUES (?)', JSON.stringify({ role, content }));
  }
}

export default {
  fetch: (request, env) => env.MEASURED.get(env.MEASURED.idFromName('one')).fetch(request),
};
