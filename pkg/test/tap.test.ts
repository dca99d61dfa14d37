import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gemini } from '../src/formats/gemini/gemini.js';
import { readUsage } from '../src/formats/answers/usage.js';
import type { Usage } from '../src/formats/reader.js';
import { tap } from '../src/stream/tap.js';

const USAGE = { prompt_tokens: 1_234, completion_tokens: 5, total_tokens: 1_239, prompt_tokens_details: { cached_tokens: 1_000 } };
const delta = (content: string, usage: object | null = null) => ({ choices: [{ delta: { content } }], usage });
const sse = (...chunks: object[]) => [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'];
const REPORT = sse(delta('héllo '), delta('"usage":{"prompt_tokens":9}'), delta('', USAGE));

function tapped<T extends object>(stream: T): { stream: T; reports: (Usage | undefined)[] } {
  const reports: (Usage | undefined)[] = [];
  return { stream: tap(stream, readUsage, (usage) => reports.push(usage)), reports };
}

/** Bytes in pieces of `size`, cutting through characters and keys. */
function bytes(text: string, size: number): ReadableStream<Uint8Array> {
  const all = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= all.length) return controller.close();
      controller.enqueue(all.slice(at, (at += size)));
    },
  });
}

test('a byte stream passes unchanged and its usage is read at the end, however it is cut', async () => {
  for (const size of [1, 7, 100_000]) {
    const { stream, reports } = tapped(bytes(REPORT.join(''), size));
    assert.equal(await new Response(stream).text(), REPORT.join(''));
    assert.deepEqual(reports, [{ promptTokens: 1_234, outputTokens: 5 }], `pieces of ${size}`);
  }
});

test('usage is found under the name that Gemini gives it, streamed as bytes or as objects', async () => {
  const usageMetadata = { promptTokenCount: 77, candidatesTokenCount: 3, totalTokenCount: 80 };
  const chunks = [{ candidates: [{ content: { parts: [{ text: '"usageMetadata":{"promptTokenCount":9}' }] } }] }, { candidates: [], usageMetadata, modelVersion: 'm' }];
  const seen: (Usage | undefined)[] = [];
  const metered = <T extends object>(stream: T): T => tap(stream, (source) => gemini.usage(source), (usage) => seen.push(usage));
  await new Response(metered(bytes(sse(...chunks).join(''), 11))).text();
  for await (const chunk of metered((async function* () { yield* chunks; })())) assert.ok(chunk);
  assert.deepEqual(seen.map((usage) => usage?.promptTokens), [77, 77]);
});

test('a long stream keeps only its end, and a chunk may be overwritten once it was read', async () => {
  const filler = sse(...Array.from({ length: 2_000 }, () => delta('x'.repeat(100))));
  const { stream, reports } = tapped(bytes([...filler.slice(0, -1), ...REPORT].join(''), 5_000));
  for await (const chunk of stream) chunk.fill(0);
  assert.equal(reports[0]?.promptTokens, 1_234);
});

test('a Response keeps status, headers and address, streamed or whole', async () => {
  const whole = tapped(new Response(JSON.stringify({ choices: [], usage: USAGE }, null, 2), { status: 201, headers: { 'x-id': '7' } }));
  assert.deepEqual([whole.stream.status, whole.stream.headers.get('x-id'), whole.stream.url], [201, '7', '']);
  assert.deepEqual(await whole.stream.json(), { choices: [], usage: USAGE });
  assert.equal(whole.reports[0]?.promptTokens, 1_234);
});

test('a client library stream stays the same object, with its other members', async () => {
  class ClientStream {
    readonly #chunks = [delta('a'), delta('b'), { choices: [], usage: USAGE }];
    readonly controller = new AbortController();
    async *[Symbol.asyncIterator]() {
      yield* this.#chunks;
    }
  }
  const original = new ClientStream();
  const { stream, reports } = tapped(original);
  assert.equal(stream, original);
  const seen: unknown[] = [];
  for await (const chunk of stream) seen.push(chunk);
  assert.equal(seen.length, 3);
  assert.deepEqual(reports, [{ promptTokens: 1_234, outputTokens: 5 }]);
});

test('a stream without usage, cancelled or broken counts once, as a step without usage', async () => {
  const silent = tapped(bytes(sse(delta('a')).join(''), 10));
  await new Response(silent.stream).text();
  const cancelled = tapped(bytes(REPORT.join(''), 10));
  await cancelled.stream.cancel('enough');
  const broken = tapped(new ReadableStream({ pull: () => Promise.reject(new Error('reset')) }));
  await assert.rejects(new Response(broken.stream).text(), /reset/);
  const left = tapped((async function* () { yield delta('a'); yield delta('', USAGE); })());
  for await (const _ of left.stream) break;
  const twice = tapped((async function* () { yield delta('a'); })());
  const iterator = twice.stream[Symbol.asyncIterator]();
  for (let i = 0; i < 4; i++) await iterator.next();
  for (const { reports } of [silent, cancelled, broken, left, twice]) assert.deepEqual(reports, [undefined]);
});

test('the source is asked for a chunk only when the consumer asks', async () => {
  let pulled = 0;
  const source = new ReadableStream({ pull: (controller) => controller.enqueue(`${pulled++}`) }, { highWaterMark: 0 });
  const reader = tapped(source).stream.getReader();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(pulled, 0);
  await reader.read();
  assert.equal(pulled, 1);
});
