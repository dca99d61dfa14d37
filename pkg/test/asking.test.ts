import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatMessage, SummaryRequest } from 'compaction-governor';
import { openHost, turn, type Host } from './host.js';

const GOOD = 'Goal: test. State: the turns so far were answered. Next: go on.';
const inTags = `<cg-new-summary>\n${GOOD}\n</cg-new-summary>`;

/** Turns until a compaction is on record, at most 40. */
async function compacted(host: Host, tokens = 300): Promise<void> {
  for (let i = 0; i < 40 && host.session.history().length === 0; i++) await turn(host, tokens);
  assert.equal(host.session.history().length, 1);
}

const size = ({ messages }: SummaryRequest<ChatMessage>): number => Math.ceil(messages.reduce((sum, { content }) => sum + Buffer.byteLength(String(content)), 0) / 3.5);

test('the conversation\'s own model is asked behind the prompt it answered last, byte for byte the same', async () => {
  const requests: SummaryRequest<ChatMessage>[] = [];
  const host = openHost({}, { contextWindow: 16_384, summarize: { ownModel: true, summarize: async (request) => (requests.push(request), inTags) } });
  await compacted(host, 1_200);
  const [request] = requests;
  assert.equal(request?.mode, 'in_place');
  const last = host.model.of('large').at(-2);
  assert.deepEqual(request?.messages.slice(0, -1), last?.messages);
  assert.equal(request?.messages.at(-1)?.role, 'user');
  assert.equal(host.session.history()[0]?.summary, GOOD);
});

test('an answer in the persona\'s voice is no summary: asked once more, separately, and committed', async () => {
  const modes: string[] = [];
  const summarize = async ({ mode }: SummaryRequest<ChatMessage>): Promise<string> => (modes.push(mode), mode === 'in_place' ? 'Aye aye, captain! What shall we do next?' : GOOD);
  const host = openHost({}, { contextWindow: 16_384, summarize: { ownModel: true, summarize } });
  await compacted(host, 1_200);
  assert.deepEqual(modes, ['in_place', 'separate']);
  assert.equal(host.session.history()[0]?.summary, GOOD);
});

test('where one more message would not fit the window, the conversation\'s own model is asked separately as well', async () => {
  const modes: string[] = [];
  const host = openHost({}, { summarize: { ownModel: true, summarize: async ({ mode }) => (modes.push(mode), GOOD) } });
  await compacted(host);
  assert.deepEqual(modes, ['separate']);
});

test('a summariser with a small window gets a long slice in parts that fit, each with the summary so far', async () => {
  const requests: SummaryRequest<ChatMessage>[] = [];
  const window = 2_000;
  const host = openHost({}, { summarize: { contextWindow: window, maxOutputTokens: 200, summarize: async (request) => (requests.push(request), `${GOOD} Part ${requests.length}.`) } });
  await compacted(host);
  assert.ok(requests.length >= 2, `${requests.length} requests`);
  for (const request of requests) assert.ok(size(request) + 200 <= window, `${size(request)} tokens`);
  requests.slice(1).forEach(({ messages }, i) => assert.ok(String(messages.at(-1)?.content).includes(`Part ${i + 1}.`)));
  const shown = requests.flatMap(({ messages }) => [...String(messages.at(-1)?.content).matchAll(/message (\d+) lorem/g)].map(([, n]) => Number(n)));
  assert.deepEqual(shown, [...new Set(shown)].sort((a, b) => a - b), 'none twice, in order');
  assert.equal(host.session.history()[0]?.summary, `${GOOD} Part ${requests.length}.`);
});

test('a window in which nothing fits is a failure that names both numbers, and the conversation goes on', async () => {
  const host = openHost({}, { summarize: { contextWindow: 300, summarize: async () => assert.fail('asked') } });
  for (let i = 0; i < 12; i++) await turn(host, 300);
  assert.equal(host.session.history().length, 0);
  const result = await host.session.compact(host.messages);
  assert.ok(result.status === 'failed' && /takes \d+ tokens and the shortest request needs \d+/.test(String(result.error.cause)), JSON.stringify(result));
});

test('what the second summariser writes is used where the first one writes nothing, and both are paid for', async () => {
  const usage = { prompt_tokens: 100, completion_tokens: 10 };
  const reply = (content: string) => async () => ({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }], usage });
  const host = openHost({}, { summarize: [reply(''), reply(GOOD)] });
  await compacted(host);
  assert.equal(host.session.history()[0]?.summary, GOOD);
  assert.equal(host.session.getSnapshot().summaryTokensSpent, 220);
});

test('a reply that is looked at before it is committed is paid for once', async () => {
  const usage = { prompt_tokens: 100, completion_tokens: 10 };
  const first = async () => ({ choices: [{ message: { role: 'assistant', content: GOOD }, finish_reason: 'stop' }], usage });
  const host = openHost({}, { summarize: [first, async () => assert.fail('asked')] });
  await compacted(host);
  assert.equal(host.session.getSnapshot().summaryTokensSpent, 110);
});

test('the words of the request can be the host\'s own, and a template that lacks a placeholder is refused by name', async () => {
  const requests: SummaryRequest<ChatMessage>[] = [];
  const templates = { system: 'Condense what stands in {material}.', task: 'Merge {previous}.\nTopic: {focus}\nAt most {max_tokens} tokens.' };
  const host = openHost({}, { templates, summarize: async (request) => (requests.push(request), GOOD) });
  await compacted(host);
  assert.equal(requests[0]?.messages[0]?.content, 'Condense what stands in <cg-material>.');
  assert.throws(() => openHost({}, { templates: { ...templates, task: 'Merge {previous}; {max_tokens}' } }), /\{focus\}/);
});

test('where the next part would not fit beside the summary so far, the attempt fails by name and the conversation goes on', async () => {
  const windows: number[] = [];
  for (let window = 640; window <= 760; window += 10) {
    const host = openHost({}, { summarize: { contextWindow: window, maxOutputTokens: 40, summarize: async () => 'Goal: test. Next: go on.' } });
    for (let i = 0; i < 10; i++) await turn(host, 300);
    const result = await host.session.compact(host.messages);
    if (result.status === 'failed' && String(result.error.cause).includes('the shortest request needs')) windows.push(window);
  }
  assert.ok(windows.length > 0, 'some window takes the first part and not the second');
});
