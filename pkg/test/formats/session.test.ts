import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCompactionError, memory, openSession, type ChatMessage, type Format, type Session, type SessionOptions } from 'compaction-governor';
import { anthropic, gemini, openaiChat, openaiResponses } from 'compaction-governor/formats';
import { PICTURE } from './script.js';

let sessions = 0;
const SUMMARY = 'Goal: test the formats. State: all earlier messages were answered. Next: go on.';

function open<M>(options: Partial<SessionOptions<M>>): Session<M> {
  return openSession<M>({ id: `format-${sessions++}`, store: memory(), contextWindow: 4_096, summarize: async () => SUMMARY, ...options });
}

/** A picture in a user's message and one in a tool's result, each format as it writes them, and words around them. */
async function inEach(check: <M>(format: Format<M>, messages: M[]) => Promise<void>): Promise<void> {
  const words = 'lorem ipsum '.repeat(900);
  const url = `data:image/png;base64,${PICTURE}`;
  const inline = { inlineData: { mimeType: 'image/png', data: PICTURE } };
  const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } };
  await check(openaiChat, [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }, { role: 'assistant', content: words }]);
  await check(openaiResponses, [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }, { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }, { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: url }] }, { role: 'assistant', content: words }]);
  await check(anthropic, [{ role: 'user', content: [block] }, { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [block] }] }, { role: 'assistant', content: words }]);
  await check(gemini, [{ role: 'user', parts: [inline] }, { role: 'model', parts: [{ functionCall: { name: 'f' } }] }, { role: 'user', parts: [{ functionResponse: { name: 'f', response: {}, parts: [inline] } }] }, { role: 'model', parts: [{ text: words }] }]);
}

/** The messages of the one request that compacting `messages` twice over makes. */
async function requested<M>(format: Format<M>, messages: readonly M[]): Promise<M[]> {
  const requests: M[][] = [];
  const session = open<M>({ format, summarize: async ({ messages }) => (requests.push(messages), SUMMARY) });
  const { status } = await session.compact([...messages, ...structuredClone(messages)]);
  assert.deepEqual([status, requests.length], ['committed', 1], format.name);
  return requests[0] ?? [];
}

// seeds: B6
test('no picture reaches a summary request, in any format', () =>
  inEach(async (format, messages) => {
    const request = JSON.stringify(await requested(format, messages));
    assert.ok(request.includes('[image]') && !request.includes(PICTURE.slice(0, 40)), format.name);
  }));

test('a summary is asked for in messages of the format', async () => {
  const shapes: string[][] = [];
  await inEach(async (format, messages) => void shapes.push((await requested(format, messages)).map((message) => Object.keys(message ?? {}).join())));
  assert.deepEqual(shapes, [['role,content', 'role,content'], ['type,role,content', 'type,role,content'], ['role,content'], ['role,parts']]);
});

test('a summary of the host is merged into the next one and never taken for a user, by its opening or by a function', async () => {
  const left: ChatMessage = { role: 'user', content: `[SO FAR] ${'we did this and that. '.repeat(60)}` };
  const answer: ChatMessage = { role: 'assistant', content: 'lorem ipsum '.repeat(600) };
  const newest: ChatMessage = { role: 'user', content: 'and now?' };
  for (const hostSummary of ['[SO FAR]', ({ content }: ChatMessage) => content === left.content, undefined]) {
    const session = open<ChatMessage>(hostSummary === undefined ? {} : { hostSummary });
    await session.compact([newest, left, answer]);
    const shown = session.advanced.view([newest, left, answer]).messages;
    assert.deepEqual([shown.includes(left), shown.includes(newest)], hostSummary === undefined ? [true, false] : [false, true]);
  }
});

test('what is no format is refused with what to do', () => {
  const formats: Format<ChatMessage>[] = [{ name: 'mine', text: () => '' }, { ...openaiChat, text: JSON.parse('7') }];
  for (const format of formats) {
    assert.throws(() => open({ format }), (error) => isCompactionError(error) && error.code === 'invalid_option' && /import one from compaction-governor\/formats/.test(error.message));
  }
});
