// A Worker: `npx wrangler dev worker.js`. The browser sends the whole conversation; the model gets what fits. memory()
// forgets with the isolate: give it a store of yours to keep its record.
import { memory, openSession } from 'compaction-governor';

const store = memory();

async function complete(env, messages, signal) {
  const headers = { authorization: `Bearer ${env.OPENAI_API_KEY}`, 'content-type': 'application/json' };
  const url = `${env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1'}/chat/completions`;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ model: 'gpt-4o-mini', messages }), signal });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(`HTTP ${response.status}`), { status: response.status, headers: response.headers, body });
  return body;
}

export default {
  async fetch(request, env) {
    const { id, messages } = await request.json();
    const session = openSession({ id, store, contextWindow: 128_000, summarize: ({ messages, signal }) => complete(env, messages, signal) });
    const reply = await session.run(messages, (view) => complete(env, view));
    await session.close();
    return Response.json(reply.choices[0].message);
  },
};
