// The example for D1, on a real binding; every name of the suite is a prefix of its own.
import { openSession } from 'compaction-governor';
import { checkStore } from 'compaction-governor/conformance';
import { d1Store, SCHEMA } from '../../../pkg/examples/d1-store.ts';

export default {
  async fetch(request, env) {
    for (const statement of SCHEMA.split(';').filter((text) => text.trim())) await env.DB.prepare(statement).run();
    const { pathname } = new URL(request.url);
    const { compact, comparing = true, clauses } = await request.json();
    if (pathname === '/d1/check') {
      const report = await checkStore((name) => d1Store(comparing ? env.DB : comparingNothing(env.DB), name), clauses && { clauses });
      return Response.json({ answer: { ...report, left: await env.DB.prepare('SELECT count(*) AS n FROM governor_parts').first('n') } });
    }
    const session = openSession({ id: 'chat', store: d1Store(env.DB), contextWindow: 4_096, summarize: async () => 'The user counts aloud. All was answered. Next: go on.' });
    const messages = Array.from({ length: 24 }, (_, n) => ({ role: n % 2 ? 'assistant' : 'user', content: `${n} ${'lorem ipsum '.repeat(58)}` }));
    if (compact) await session.prepare(messages);
    return Response.json({ answer: { ...(await session.ready), history: session.history() } });
  },
};

/** A database whose statements one after another are no batch. */
function comparingNothing(db) {
  const loose = (query) => query.replace(' AND revision = ?', ' AND ? > 0').replace('ON CONFLICT DO NOTHING', 'ON CONFLICT DO UPDATE SET revision = 1, op = excluded.op');
  return { prepare: (query) => db.prepare(loose(query)), batch: (statements) => db.batch(statements) };
}
