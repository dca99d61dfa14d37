import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCompactionError, openSession, type ChatMessage } from 'compaction-governor';
import { openHost, turn, type Host } from './host.js';

const rule = 'Never touch the production database.';
const view = (host: Host): ChatMessage[] => host.session.advanced.view(host.messages).messages;
const shown = (messages: readonly ChatMessage[]): string => messages.map(({ content }) => String(content)).join('\n');

async function compacted(host: Host, passes: number): Promise<void> {
  while (host.session.history().length < passes) await turn(host, 350);
}

async function code(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(() => undefined, (reason: unknown) => reason);
  assert.ok(isCompactionError(error), String(error));
  return error.code;
}

test('a pinned text stands behind every summary, also after a reload, until it is unpinned', async () => {
  const host = openHost();
  const pinned = await host.session.pin({ text: rule });
  assert.ok(pinned.status === 'pinned' && pinned.floorTokens >= 10);
  await compacted(host, 2);
  assert.equal(shown(view(host)).split(rule).length, 2);
  await host.session.close();
  const again = openSession({ id: host.session.id, store: host.store, contextWindow: 4_096 });
  const step = await again.prepare(structuredClone(host.messages));
  assert.equal(shown(step.messages).split(rule).length, 2);
  await again.unpin(pinned.id);
  assert.ok(!shown((await again.prepare(host.messages)).messages).includes(rule));
});

test('a message pinned by the id its host gave it stays as it is through three compactions', async () => {
  const host = openHost();
  const important = { role: 'user' as const, content: `remember ${rule}`, id: 'msg-7' };
  host.messages.push({ role: 'user', content: 'hi' }, { role: 'assistant', content: 'hello' }, important, { role: 'assistant', content: 'ok' });
  await host.session.prepare(host.messages);
  assert.equal((await host.session.pin('msg-7')).status, 'pinned');
  await compacted(host, 3);
  assert.ok(view(host).includes(important), 'the same object');
  await host.session.unpin('msg-7');
  await compacted(host, 4);
  assert.ok(!view(host).includes(important));
});

test('a pinned call keeps its result beside it', async () => {
  const host = openHost();
  host.messages.push(
    { role: 'user', content: 'look' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'c1', content: 'the answer is 42' },
    { role: 'assistant', content: 'read' },
  );
  Object.assign(host.messages[2] ?? {}, { id: 'result' });
  await host.session.prepare(host.messages);
  assert.equal((await host.session.pin('result')).status, 'pinned');
  await compacted(host, 2);
  const kept = view(host);
  const call = kept.findIndex(({ tool_calls }) => tool_calls !== undefined);
  assert.deepEqual([kept[call]?.role, kept[call + 1]?.role], ['assistant', 'tool']);
});

test('what cannot be pinned is refused by name or with both numbers, and a session without a transcript knows no message', async () => {
  const host = openHost({ overhead: 1_000 });
  assert.equal(await code(host.session.pin('msg-1')), 'unknown_message');
  assert.equal(await code(host.session.pin({ text: '  ' })), 'empty');
  assert.equal(await code(host.session.pin({ text: 'long '.repeat(1_000) })), 'too_large');
  await turn(host, 50);
  let refused = 0;
  for (let i = 0; i < 4; i++) {
    const result = await host.session.pin({ text: `${i} ${'never '.repeat(500)}` });
    if (result.status === 'refused') refused += 1;
    if (result.status === 'refused') assert.ok(result.floorTokens < result.thresholdTokens * 2 && result.thresholdTokens === 3_276);
  }
  assert.ok(refused > 0);
  await host.session.unpin('no such pin');
  await compacted(host, 1);
});
