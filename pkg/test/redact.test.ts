import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memory, openSession, type ChatMessage, type SummaryRequest } from 'compaction-governor';

const KEY = /sk-[a-z0-9]+/g;
const messages: ChatMessage[] = [
  ...Array.from({ length: 12 }, (_, n): ChatMessage => ({ role: n % 2 ? 'assistant' : 'user', content: `message ${n}, key sk-secret${n}: ${'lorem ipsum '.repeat(90)}` })),
  { role: 'user', content: 'and now?' },
];

let ids = 0;

async function compacted(redact: (text: string) => string, reply: string) {
  const requests: SummaryRequest<ChatMessage>[] = [];
  const session = openSession({ id: `redact-${ids++}`, store: memory(), contextWindow: 4_096, redact, summarize: async (request) => (requests.push(request), reply) });
  const result = await session.compact(messages, { focus: 'the key sk-topic' });
  return { result, session, request: JSON.stringify(requests[0]?.messages) };
}

// The fault: keys in tool output went to the summariser, into its summary, and through every later one.
// What it cost: what was shown once stayed in the store for good.
// What now holds: a host's hook sees the slice, the topic and the summary before anything leaves the page or is stored.
test('no secret reaches the summariser or the store', async () => {
  const { result, session, request } = await compacted((text) => text.replace(KEY, '[key]'), 'The user asked with the key sk-written12 in hand; eleven messages were answered.');
  assert.equal(result.status, 'committed');
  assert.ok(request.includes('message 3, key [key]') && request.includes('the key [key]') && !KEY.test(request));
  const stored = (await session.advanced.records()).map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join('');
  assert.ok(stored.includes('with the key [key] in hand') && !stored.includes('sk-'), 'summary, receipt line and all');
});

test('a hook that throws costs the text, not the pass', async () => {
  const throwing = (text: string): string => (text.includes('message 3') ? assert.fail('a scanner gave up') : text);
  const { result, request } = await compacted(throwing, 'The user asked, eleven messages were answered.');
  assert.equal(result.status, 'committed');
  assert.ok(!request.includes('message 3') && request.includes('could not be checked') && request.includes('message 4'));
});
