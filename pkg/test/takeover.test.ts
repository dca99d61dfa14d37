// Fault: a tab went on waiting for its summariser although another tab had taken its attempt over.
// Cost: the whole summary was paid for, thrown away, and with a list of summarisers paid for again.
// Now: as soon as a tab learns of it, the signal of the request fires, nobody else is asked, and no failure is counted.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { injected, openSession, type ChatMessage, type SummaryRequest } from 'compaction-governor';
import { KeptMap } from './kept-map.js';

const DEADLINE_MS = 600_000;
const conversation: ChatMessage[] = Array.from({ length: 40 }, (_, at) => ({ role: at % 2 ? 'assistant' : 'user', content: `message ${at}: ${'lorem ipsum '.repeat(40)}` }));

test('a model call is told to stop once another tab has taken its attempt over, and the next summariser is not asked', async () => {
  mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
  const { data } = new KeptMap();
  const tab = (summarize: ((request: SummaryRequest) => Promise<unknown>)[]) =>
    openSession({ id: 'chat', store: injected(new KeptMap(data)), contextWindow: 4_096, summarize });
  let asked: (request: SummaryRequest) => void = () => undefined;
  const request = new Promise<SummaryRequest>((resolve) => (asked = resolve));
  const late = tab([(given) => new Promise(() => asked(given)), async () => assert.fail('nobody waits for it')]);
  const waiting = late.compact(conversation);
  const { signal } = await request;
  await late.advanced.recordUsage(undefined, late.advanced.view(conversation));
  assert.equal(signal.aborted, false, 'its own operations end nothing');

  mock.timers.setTime(Date.now() + DEADLINE_MS);
  const heir = tab([async () => 'The user counts messages of lorem ipsum, forty of them so far.']);
  assert.equal((await heir.compact(conversation)).status, 'committed');
  const events: unknown[] = [];
  late.on((event) => event.type === 'compaction' && events.push(event.status));
  await late.pin({ text: 'what a person says is written, and what is there is read' });
  mock.timers.reset();
  assert.equal(signal.aborted, true);
  const result = await waiting;
  assert.deepEqual([result.status, result.status === 'failed' && result.error.code, events], ['failed', 'superseded', ['cancelled']]);
  assert.deepEqual(late.history().map(({ summary }) => summary), heir.history().map(({ summary }) => summary));
  await Promise.all([late.close(), heir.close()]);
});
