// Compacting without sending, and a call that goes to a model with another window.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compactIfNeeded, isCompactionError, memory, openSession, type ChatMessage, type Session } from 'compaction-governor';

const talk: ChatMessage[] = Array.from({ length: 21 }, (_, at) => ({ role: at % 2 ? 'assistant' : 'user', content: `message ${at}: ${'lorem ipsum '.repeat(40)}` }));

function opened(id: string, contextWindow: number): { session: Session; asked: string[] } {
  const asked: string[] = [];
  const summarize = async ({ compactionId }: { compactionId: string }): Promise<string> => {
    asked.push(compactionId);
    return 'The user counts messages of lorem ipsum, twenty of them so far.';
  };
  return { session: openSession({ id, store: memory(), contextWindow, countTokens: (text) => text.length / 3.5, summarize }), asked };
}

test('compactIfNeeded compacts what is due, says why not where nothing is, and sends nothing', async () => {
  const { session, asked } = opened('due', 3_500);
  const early = await compactIfNeeded(session, talk.slice(0, 3));
  assert.deepEqual([early.status, early.status === 'refused' && early.decision.action, asked], ['refused', 'hold', []]);
  const done = await compactIfNeeded(session, talk);
  assert.deepEqual([done.status, asked.length], ['committed', 1]);
  assert.equal((await compactIfNeeded(session, talk)).status, 'refused', 'once');
  assert.equal(session.history().length, 1);
  await session.close();
});

test('compactIfNeeded stops for a signal, and takes no session of another making', async () => {
  const { session, asked } = opened('given-up', 3_500);
  assert.equal((await compactIfNeeded(session, talk, { signal: AbortSignal.abort() })).status, 'refused');
  assert.deepEqual(asked, []);
  await assert.rejects(compactIfNeeded({ ...session }, talk), (error) => isCompactionError(error) && error.code === 'invalid_option');
  await session.close();
});

test('a call to a model with a smaller window is compacted for that window, which stands until another is given', async () => {
  const { session, asked } = opened('window', 200_000);
  assert.equal((await session.prepare(talk)).compacted, false);
  const step = await session.prepare(talk, { model: 'small', contextWindow: 3_500 });
  assert.deepEqual([step.compacted, asked.length, session.explain().windowTokens], [true, 1, 3_500]);
  await session.prepare(talk);
  assert.equal(session.getSnapshot().windowTokens, 3_500);
  await session.prepare(talk, { contextWindow: 200_000 });
  assert.equal(session.explain().windowTokens, 200_000);
  for (const contextWindow of [10, -1, Number.NaN, 2.5]) {
    await assert.rejects(session.prepare(talk, { contextWindow }), (error) => isCompactionError(error), String(contextWindow));
  }
  assert.equal(session.explain().windowTokens, 200_000, 'the old one stands');
  await session.close();
});
