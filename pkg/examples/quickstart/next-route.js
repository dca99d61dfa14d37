// Next.js: app/chat/route.js, in Node or, with `export const runtime = 'edge'`, on the edge. The browser sends the whole
// conversation; the model gets what fits. memory() forgets with the process: give it a store of yours to keep its record.
import { memory, openSession } from 'compaction-governor';

const store = memory();
const { OPENAI_API_KEY, OPENAI_BASE_URL = 'https://api.openai.com/v1' } = process.env;

async function complete(messages, signal) {
  const headers = { authorization: `Bearer ${OPENAI_API_KEY}`, 'content-type': 'application/json' };
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, { method: 'POST', headers, body: JSON.stringify({ model: 'gpt-4o-mini', messages }), signal });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(`HTTP ${response.status}`), { status: response.status, headers: response.headers, body });
  return body;
}

export async function POST(request) {
  const { id, messages } = await request.json();
  const session = openSession({ id, store, contextWindow: 128_000, summarize: ({ messages, signal }) => complete(messages, signal) });
  const reply = await session.run(messages, (view) => complete(view));
  return Response.json(reply.choices[0].message);
}
