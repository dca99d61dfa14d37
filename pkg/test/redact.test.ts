import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { isCompactionError, memory, openSession, type ChatMessage, type SessionOptions, type SummaryRequest } from 'compaction-governor';

const KEY = /sk-[a-z0-9]+/g;
const messages: ChatMessage[] = [
  ...Array.from({ length: 12 }, (_, n): ChatMessage => ({ role: n % 2 ? 'assistant' : 'user', content: `message ${n}, key sk-secret${n}: ${'lorem ipsum '.repeat(90)}` })),
  { role: 'user', content: 'and now?' },
];

let ids = 0;

type Redact = NonNullable<SessionOptions['redact']>;

async function compacted(redact: Redact, reply: string) {
  const requests: SummaryRequest<ChatMessage>[] = [];
  const session = openSession({ id: `redact-${ids++}`, store: memory(), contextWindow: 4_096, redact, summarize: async (request) => (requests.push(request), reply) });
  const result = await session.compact(messages, { focus: 'the key sk-topic' });
  return { result, session, request: JSON.stringify(requests[0]?.messages) };
}

/** The same hook as it answers: at once, by a promise, and by one that is no Promise of this realm. */
const WAYS: Readonly<Record<string, (hook: (text: string) => string) => Redact>> = {
  'at once': (hook) => hook,
  'by a promise': (hook) => async (text) => (await new Promise((resolve) => setTimeout(resolve, 1)), hook(text)),
  'by a thenable': (hook) => (text) => ({ then: (kept, lost) => Promise.resolve(text).then(hook).then(kept, lost) }),
};

// The fault: keys in tool output went to the summariser, into its summary, and through every later one.
// What it cost: what was shown once stayed in the store for good.
// What now holds: a host's hook sees the slice, the topic and the summary before anything leaves the page or is stored.
for (const [way, as] of Object.entries(WAYS)) {
  test(`no secret reaches the summariser or the store, where the hook answers ${way}`, async () => {
    const { result, session, request } = await compacted(as((text) => text.replace(KEY, '[key]')), 'The user asked with the key sk-written12 in hand; eleven messages were answered.');
    assert.equal(result.status, 'committed');
    assert.ok(request.includes('message 3, key [key]') && request.includes('the key [key]') && !KEY.test(request));
    const stored = (await session.advanced.records()).map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join('');
    assert.ok(stored.includes('with the key [key] in hand') && !stored.includes('sk-'), 'summary, receipt line and all');
  });

  test(`a hook that throws or gives no text costs the text, not the pass, where it answers ${way}`, async () => {
    const failing = (text: string): string => (text.includes('message 3') ? assert.fail('a scanner gave up') : text.includes('message 5') ? JSON.parse('null') : text);
    const { result, request } = await compacted(as(failing), 'The user asked, eleven messages were answered.');
    assert.equal(result.status, 'committed');
    assert.ok(!request.includes('message 3') && !request.includes('message 5') && request.includes('could not be checked') && request.includes('message 4'));
  });

  // The fault: a summary that the hook threw on was replaced by the words that say so, and committed.
  // What it cost: everything that it was to stand for.
  // What now holds: it is not used, and the conversation stands as it was.
  test(`a summary that could not be checked is not used, where the hook answers ${way}`, async () => {
    const { result, session } = await compacted(as((text) => (text.includes('eleven') ? assert.fail('a scanner gave up') : text)), 'The user asked, eleven messages were answered.');
    assert.ok(result.status === 'failed' && result.error.code === 'summarizer_other' && isCompactionError(result.error.cause) && result.error.cause.code === 'redaction_failed');
    assert.deepEqual([session.history(), session.advanced.view(messages).messages], [[], messages]);
  });
}

test('the next summariser is asked where the first one wrote what could not be checked', async () => {
  const session = openSession({ id: 'redact-next', store: memory(), contextWindow: 4_096, redact: (text) => (text.includes('unchecked') ? assert.fail('a scanner gave up') : text), summarize: [async () => 'An unchecked summary of it.', async () => 'The user asked, eleven messages were answered.'] });
  assert.equal((await session.compact(messages)).status, 'committed');
  assert.match(session.history()[0]?.summary ?? '', /^The user asked/);
});

test('a hook that hangs on one text costs that text, and one that is only slow costs nothing', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    let asked = 0;
    const waiting: (() => void)[] = [];
    const redact: Redact = (text) => (asked++, text.includes('message 3') ? new Promise(() => undefined) : new Promise((resolve) => waiting.push(() => resolve(text))));
    const pass = compacted(redact, 'The user asked, eleven messages were answered.');
    const turn = async (): Promise<void> => { for (let i = 0; i < 50; i++) await Promise.resolve(); };
    let done = false;
    void pass.finally(() => (done = true));
    await turn();
    assert.ok(waiting.length > 8, 'all at once');
    // Nine seconds between two answers, for minutes: slow, and not silent.
    for (let answer = waiting.shift(); answer; answer = waiting.shift()) {
      mock.timers.tick(9_000);
      answer();
      await turn();
    }
    mock.timers.tick(9_999);
    await turn();
    assert.ok(!done && waiting.length === 0);
    mock.timers.tick(1);
    await turn();
    while (waiting.length > 0) {
      waiting.shift()?.();
      await turn();
    }
    const { result, request } = await pass;
    assert.equal(result.status, 'committed');
    assert.ok(!request.includes('message 3') && request.includes('could not be checked') && request.includes('message 2') && request.includes('message 4'));
  } finally {
    mock.timers.reset();
  }
});

test('a hook that answers nothing at all lets nothing through', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const pass = compacted(() => new Promise(() => undefined), 'The user asked, eleven messages were answered.');
    let done = false;
    void pass.finally(() => (done = true));
    for (let i = 0; i < 500 && !done; i++) {
      if (i % 50 === 49) mock.timers.tick(10_000);
      await Promise.resolve();
    }
    const { result, request } = await pass;
    assert.ok(result.status === 'failed' && result.error.code === 'summarizer_other');
    assert.ok(request.includes('could not be checked') && !request.includes('lorem ipsum') && !request.includes('sk-'));
  } finally {
    mock.timers.reset();
  }
});

test('what changes in the conversation while the hook is working is no part of the slice', async () => {
  const host = [...messages];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const requests: string[] = [];
  const session = openSession({ id: 'redact-moving', store: memory(), contextWindow: 4_096, redact: async (text) => (await held, text), summarize: async (request) => (requests.push(JSON.stringify(request.messages)), 'The user asked, eleven messages were answered.') });
  const pass = session.compact(host);
  await new Promise((resolve) => setTimeout(resolve, 5));
  session.advanced.observe([...host, { role: 'assistant', content: 'a late word' }]);
  release();
  await pass;
  assert.ok(requests[0]?.includes('message 3') && !requests[0].includes('a late word'));
});
