import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCompactionError, openSession, type ChatMessage, type Session, type Store } from 'compaction-governor';
import { openHost, turn, type Host } from './host.js';

type Message = ChatMessage & { id?: string };

const summarize = async (): Promise<string> => 'The user counts messages aloud. All earlier ones were answered. Next: go on.';
const bytes = (messages: readonly ChatMessage[]): string => JSON.stringify(messages);

function conversation(length: number, named: boolean): Message[] {
  const message = (i: number): Message => ({ role: i % 2 ? 'assistant' : 'user', content: `${i} ${'lorem ipsum '.repeat(8)}`, ...(named ? { id: `m${i}` } : {}) });
  return [{ role: 'system', content: 'be brief' }, ...Array.from({ length }, (_, i) => message(i))];
}

/** The session as another process finds it. */
async function reopened(store: Store, id: string): Promise<Session> {
  const session = openSession({ id, store, contextWindow: 8_192, summarize });
  await session.ready;
  return session;
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(() => undefined, (reason: unknown) => reason);
  assert.ok(isCompactionError(error) && error.applied === 'no', String(error));
  return error.code;
}

/** A closed session over `messages`, with one summary, and the view it last gave. */
async function summarised(messages: readonly Message[]): Promise<{ store: Store; id: string; view: ChatMessage[] }> {
  const { store, session } = openHost({}, { contextWindow: 8_192, summarize });
  const step = await session.prepare(messages);
  assert.ok(step.compacted);
  await session.close();
  return { store, id: session.id, view: step.messages };
}

test('100,000 messages opened behind the summary give the bytes of the whole conversation', async () => {
  const messages = conversation(100_000, true);
  const { store, id, view } = await summarised(messages);
  const tail = await reopened(store, id);
  const { resumeAfter } = await tail.ready;
  const behind = messages.findIndex((message) => message.id === resumeAfter) + 1;
  assert.ok(behind > 99_000, String(resumeAfter));
  const given = [...messages.slice(0, 1), ...messages.slice(behind)];
  const step = await tail.prepare(given, { after: String(resumeAfter) });
  assert.equal(bytes(step.messages), bytes(view));
  assert.equal(step.decision.usedTokens, tail.explain().usedTokens);
});

test('a conversation without ids is gone on from by place and content, through further compactions', async () => {
  const messages = conversation(400, false);
  const { store, id } = await summarised(messages);
  const tail = await reopened(store, id);
  const { resumeAfter = '' } = await tail.ready;
  const covered = Number.parseInt(resumeAfter, 10);
  assert.equal(covered, tail.history().at(-1)?.coversEntries);
  let from = covered;
  let after = resumeAfter;
  for (let i = 0; i < 400; i++) {
    messages.push({ role: i % 2 ? 'assistant' : 'user', content: `more ${i} ${'dolor sit '.repeat(30)}` });
    const step = await tail.prepare([...messages.slice(0, 1), ...messages.slice(from)], { after });
    await step.done('no usage');
    // A host moves on to a later summary whenever it likes.
    const latest = tail.history().at(-1);
    if (i % 50 === 0 && latest) [after, from] = [latest.throughId, latest.coversEntries];
  }
  assert.ok(tail.history().length > 2 && from > covered);
  const given = [...messages.slice(0, 1), ...messages.slice(from)];
  const last = await tail.prepare(given, { after });
  await tail.close();
  const whole = await reopened(store, id);
  assert.equal(bytes(last.messages), bytes((await whole.prepare(messages)).messages));
});

test('a wrong id or a missing system message is a typed error and loses nothing', async () => {
  const messages = conversation(400, true);
  const { store, id, view } = await summarised(messages);
  const session = await reopened(store, id);
  const { resumeAfter = '' } = await session.ready;
  const tail = messages.slice(messages.findIndex((message) => message.id === resumeAfter) + 1);
  const system = messages.slice(0, 1);
  for (const after of ['', 'm1', 'nobody']) assert.equal(await codeOf(session.prepare([...system, ...tail], { after })), 'unknown_after');
  assert.equal(await codeOf(session.prepare(tail, { after: resumeAfter })), 'head_changed');
  const edited: ChatMessage = { role: 'system', content: 'be brief; today is Tuesday' };
  assert.deepEqual((await session.prepare([edited, ...tail], { after: resumeAfter })).messages.slice(0, 2), [edited, view[1]], 'a date in the system prompt makes no summary void');
  assert.equal(bytes((await session.prepare([...system, ...tail], { after: resumeAfter })).messages), bytes(view));
  assert.equal(await codeOf(session.prepare(tail, { after: resumeAfter })), 'head_changed', 'also once it is known');
  const whole = await session.prepare(messages);
  assert.deepEqual([bytes(whole.messages), whole.compacted], [bytes(view), false], 'the whole conversation is always welcome');
  assert.equal(bytes((await session.prepare([...system, ...messages.slice(200)], { after: 'm198' })).messages), bytes(view), 'and any message of it, from then on');
});

test('a session with a pinned message names no id, one with a pinned text does', async () => {
  const messages = conversation(400, true);
  const { store, id } = await summarised(messages);
  const session = await reopened(store, id);
  await session.prepare(messages);
  await session.pin({ text: 'never touch prod' });
  await session.close();
  const again = await reopened(store, id);
  assert.equal(typeof (await again.ready).resumeAfter, 'string');
  await again.prepare(messages);
  await again.pin('m5');
  await again.close();
  assert.equal((await (await reopened(store, id)).ready).resumeAfter, undefined);
});

test('a tail whose summary was taken back asks for the whole conversation', async () => {
  const messages = conversation(400, true);
  const { store, id } = await summarised(messages);
  const session = await reopened(store, id);
  const { resumeAfter = '' } = await session.ready;
  const given = [...messages.slice(0, 1), ...messages.slice(messages.findIndex((message) => message.id === resumeAfter) + 1)];
  await session.prepare(given, { after: resumeAfter });
  const refused = await session.undo();
  assert.ok(refused.status === 'failed' && refused.error.code === 'needs_transcript');
  await session.prepare(messages);
  assert.equal((await session.undo()).status, 'committed');
});

test('a tail whose summary another process took back is refused once that is known, and loses nothing', async () => {
  const messages = conversation(400, true);
  const { store, id } = await summarised(messages);
  const session = await reopened(store, id);
  const { resumeAfter = '' } = await session.ready;
  const given = [...messages.slice(0, 1), ...messages.slice(messages.findIndex((message) => message.id === resumeAfter) + 1)];
  await session.prepare(given, { after: resumeAfter });
  await session.close();
  const other = await reopened(store, id);
  await other.prepare(messages, { signal: AbortSignal.abort() });
  assert.equal((await other.undo()).status, 'committed');
  assert.equal((await session.compact(given, { after: resumeAfter })).status, 'refused');
  assert.equal(await codeOf(session.prepare(given, { after: resumeAfter })), 'needs_transcript');
  assert.equal((await session.prepare(messages)).messages[0], messages[0]);
});

test('a conversation that never was compacted names no id', async () => {
  const host: Host = openHost();
  await turn(host, 50);
  await host.session.close();
  assert.deepEqual(await (await reopened(host.store, host.session.id)).ready, { found: 'new', durability: 'memory' });
});

// The fault: the text of a long slice crossed into the WebAssembly again for each of its parts.
// What it cost: 45 s of CPU time for a slice of 100,000 messages in 450 parts.
// What now holds: it crosses once for all requests, and once for the receipt.
test('a long slice crosses once for all of its parts, and once for its receipt', async () => {
  const messages = conversation(2_000, true).map((message, i) => (i === 0 ? message : { ...message, content: `ä${message.content}` }));
  const slice = messages.reduce((sum, { content }) => sum + String(content).length, 0) / 2;
  const { encodeInto } = TextEncoder.prototype;
  let crossings = 0;
  let asked = 0;
  TextEncoder.prototype.encodeInto = function (text, into) {
    if (text.length > slice) crossings += 1;
    return encodeInto.call(this, text, into);
  };
  try {
    const { session } = openHost({}, { contextWindow: 8_192, summarize: async () => ((asked += 1), summarize()) });
    assert.ok((await session.prepare(messages)).compacted);
  } finally {
    TextEncoder.prototype.encodeInto = encodeInto;
  }
  assert.ok(asked > 5, String(asked));
  assert.equal(crossings, 2);
});
