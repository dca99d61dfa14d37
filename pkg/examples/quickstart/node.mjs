// Node: a chat in the terminal. `npm install compaction-governor`, then `OPENAI_API_KEY=… node chat.mjs`.
import { createInterface } from 'node:readline';
import { memory, openSession } from 'compaction-governor';

const { OPENAI_API_KEY, OPENAI_BASE_URL = 'https://api.openai.com/v1' } = process.env;

async function complete(messages, signal) {
  const headers = { authorization: `Bearer ${OPENAI_API_KEY}`, 'content-type': 'application/json' };
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, { method: 'POST', headers, body: JSON.stringify({ model: 'gpt-4o-mini', messages }), signal });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(`HTTP ${response.status}`), { status: response.status, headers: response.headers, body });
  return body;
}

const session = openSession({ id: 'terminal', store: memory(), contextWindow: 128_000, summarize: ({ messages, signal }) => complete(messages, signal) });
const messages = [];
for await (const content of createInterface({ input: process.stdin })) {
  messages.push({ role: 'user', content });
  const reply = await session.run(messages, (view) => complete(view));
  messages.push(reply.choices[0].message);
  console.log(reply.choices[0].message.content);
}
