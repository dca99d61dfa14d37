import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSession, type ChatMessage, type CompactionEvent } from 'compaction-governor';
import { openHost, turn, type Host } from './host.js';

const todos = (done: number): string => Array.from({ length: 7 }, (_, i) => `- [${i < done ? 'x' : ' '}] step ${i + 1}`).join('\n');

/** Until the next compaction; the view of the call behind it. */
async function compacted(host: Host): Promise<string> {
  const before = host.session.history().length;
  while (host.session.history().length === before) await turn(host, 350);
  return summaryOf((await host.session.prepare(host.messages)).messages);
}

function summaryOf(messages: readonly ChatMessage[]): string {
  return messages.map(({ content }) => String(content)).filter((content) => content.includes('<cg-summary>')).join();
}

test('5 of 7 todos done and a read-only mode stand verbatim in each view and in no summary', async () => {
  const host = openHost({}, { carry: () => [todos(5), 'mode: read-only'] });
  for (let pass = 0; pass < 3; pass++) {
    const shown = await compacted(host);
    assert.equal(shown.split(`${todos(5)}\n\nmode: read-only`).length, 2);
  }
  const written = [...host.session.history().map(({ summary }) => summary), ...host.model.of('small').map((request) => JSON.stringify(request))];
  assert.ok(written.every((text) => !text.includes('read-only') && !text.includes('step 1')), 'no summariser saw it');
});

test('carry is asked once per compaction and frozen with it, so that the prefix stays', async () => {
  let asked = 0;
  const host = openHost({}, { carry: () => `asked ${++asked}` });
  const shown = await compacted(host);
  const first = (await host.session.prepare(host.messages)).messages[0];
  await turn(host, 20);
  const later = await host.session.prepare(host.messages);
  assert.deepEqual([asked, later.messages[0]?.content, shown.includes('asked 1')], [1, first?.content, true]);
  assert.ok((await compacted(host)).includes('asked 2'));
});

test('a component that renders again passes a carry that sees its new state', async () => {
  const host = openHost({}, { carry: () => 'first carry' });
  openSession({ id: host.session.id, store: host.store, carry: () => 'new', summarize: async () => 'The user counts. All was answered.' });
  const shown = await compacted(host);
  assert.ok(shown.includes('\nnew\n') && !shown.includes('first carry'));
});

test('a carry that throws, gives no text or too much costs the carry, not the pass, and is told', async () => {
  const throws = (): string => {
    throw new Error('no todo list');
  };
  // @ts-expect-error a promise is no text: carry is asked in the middle of a commit
  const promises: () => string = async () => 'later';
  const cases: [() => string, string, number | undefined, number | undefined][] = [
    [throws, 'failed', undefined, undefined],
    [promises, 'failed', undefined, undefined],
    [() => 'long '.repeat(9_000), 'too_large', 12_857, 2_048],
    [() => 'much '.repeat(1_400), 'floor_bound', 2_000, 1_373],
  ];
  for (const [carry, reason, tokens, mostTokens] of cases) {
    const events: CompactionEvent[] = [];
    const host = openHost({ overhead: 900 }, { carry });
    host.session.on((event) => events.push(event));
    const shown = await compacted(host);
    assert.ok(shown.includes('<cg-summary>') && !shown.includes('<cg-kept>'));
    const told = events.filter((event) => event.type === 'carry_refused').map((event) => [event.reason, event.tokens, event.mostTokens, event.compactionId]);
    assert.deepEqual(told, [[reason, tokens, mostTokens, host.session.history().at(-1)?.compactionId]]);
  }
});
