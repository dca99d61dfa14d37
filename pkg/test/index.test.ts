// What TypeScript computes because text does not cross must be what the crate computes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memory, openSession, type ChatMessage } from 'compaction-governor';
import { Core, CoreSettings, initSync, StoreHandle } from '../src/boundary/glue.js';
import bytes from '../src/boundary/bytes.js';
import { openAiChat } from '../src/formats/openai/openai-chat.js';
import { Transcript } from '../src/session/transcript.js';

initSync({ module: bytes });

function open(): { core: Core; transcript: Transcript } {
  const settings = new CoreSettings();
  settings.setWindow(100_000);
  const core = new Core('index', StoreHandle.memory(), settings, 1, 2);
  return { core, transcript: new Transcript(core, openAiChat<unknown>()) };
}

test('the index counts what was pushed and forgets what was cut', () => {
  const { core, transcript } = open();
  transcript.observe([{ role: 'user', content: 'x'.repeat(3_500) }, { role: 'assistant', content: 'y'.repeat(35) }]);
  assert.deepEqual([core.entryCount(), core.viewTokens()], [2, 1_010]);
  transcript.observe([{ role: 'user', content: 'x'.repeat(3_500) }]);
  assert.deepEqual([core.entryCount(), core.viewTokens(), [...core.view()]], [1, 1_000, [0, 0, 1]]);
});

test('a request shows each entry of the slice its own text, whatever characters it holds', async () => {
  const texts = ['half a pair \ud83d', 'ascii', 'Grüße', '漢字', '🙂🙂'];
  const messages = texts.flatMap((text): ChatMessage[] => [{ role: 'user', content: text }, { role: 'assistant', content: `\ude42 ${text}${' pad'.repeat(400)}` }]);
  const { advanced } = openSession({ id: 'request', store: memory(), contextWindow: 4_096, keep: { messages: 1 } });
  advanced.observe([...messages, { role: 'user', content: 'newest' }]);
  const plan = await advanced.plan({ trigger: 'manual' });
  assert.ok('request' in plan, JSON.stringify(plan));
  const blocks = String(plan.request.messages[1]?.content).split(/<cg-entry [^>]*>\n/).slice(1);
  assert.equal(blocks.length, plan.entries);
  assert.ok(blocks.length >= 8, String(blocks.length));
  blocks.forEach((block, i) => assert.ok(block.startsWith(String(messages[i]?.content).toWellFormed().slice(0, 20).trim()), block.slice(0, 30)));
});
