import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCompactionError, openSession, type ChatMessage, type CompactResult } from 'compaction-governor';
import { openHost, turn, type Host } from './host.js';

async function compactedHost(passes = 1): Promise<Host> {
  const host = openHost();
  while (host.session.history().length < passes) await turn(host, 350);
  return host;
}

function code(result: CompactResult): string {
  assert.ok(result.status === 'failed' && isCompactionError(result.error));
  return result.error.code;
}

const better = 'The user counts messages aloud. All of them were answered. Open: nothing.';
const shown = (messages: readonly ChatMessage[]): string => messages.map(({ content }) => String(content)).find((content) => content.includes('<cg-summary>')) ?? 'none';

test('undo brings the conversation back as it was, and a second one has nothing to take back', async () => {
  const host = await compactedHost();
  const [compaction] = host.session.history();
  const result = await host.session.undo(compaction?.compactionId);
  assert.ok(result.status === 'committed' && result.compactionId === compaction?.compactionId && result.afterTokens > result.beforeTokens);
  assert.deepEqual(host.session.history(), []);
  assert.deepEqual(host.session.advanced.view(host.messages).messages, host.messages);
  assert.equal(code(await host.session.undo()), 'nothing_to_undo');
});

test('an edit is a compaction of its own that is shown from the next call on, also after a reload, and undo takes it back', async () => {
  const host = await compactedHost();
  const [old] = host.session.history();
  const result = await host.session.edit(String(old?.compactionId), better);
  assert.equal(result.status, 'committed');
  assert.ok(shown(host.session.advanced.view(host.messages).messages).includes(better));
  await host.session.close();
  const again = openSession({ id: host.session.id, store: host.store, contextWindow: 4_096 });
  await again.ready;
  assert.deepEqual(again.history().map(({ summary, coversEntries, trigger }) => [summary === better, coversEntries, trigger]), [
    [false, old?.coversEntries, 'threshold'],
    [true, old?.coversEntries, 'manual'],
  ]);
  await again.undo();
  assert.deepEqual(again.history(), [old]);
});

test('what is no summary, no compaction or not the live one is refused by name and changes nothing', async () => {
  const host = await compactedHost(2);
  const [first, live] = host.session.history().map(({ compactionId }) => compactionId);
  const before = host.session.history();
  assert.equal(code(await host.session.edit(String(live), '   ')), 'empty');
  assert.equal(code(await host.session.edit(String(live), 'lorem ipsum dolor '.repeat(4_000))), 'repetition');
  for (const unknown of ['', 'no such id', '0123456789abcdef', '\u{d800}']) assert.equal(code(await host.session.undo(unknown)), 'unknown_compaction');
  assert.equal(code(await host.session.undo(first)), 'not_live');
  assert.deepEqual(host.session.history(), before);
});

test('while a summary is being written undo is refused and says what to do', async () => {
  const host = await compactedHost();
  while (!host.session.shouldCompact()) {
    host.messages.push({ role: 'user', content: 'lorem ipsum '.repeat(100) }, { role: 'assistant', content: 'ok' });
    host.session.advanced.observe(host.messages);
  }
  const plan = await host.session.advanced.plan();
  assert.ok(!('refused' in plan));
  const result = await host.session.undo();
  assert.equal(code(result), 'attempt_running');
  assert.ok(result.status === 'failed' && /wait/.test(result.error.message));
  await plan.cancel();
  assert.equal((await host.session.undo()).status, 'committed');
});
