import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memory, type ChatMessage } from 'compaction-governor';
import { createChat } from '../examples/chat.js';
import { openByHand, type Models } from '../examples/full-control.js';
import { ScriptedModel } from './scripted-model.js';

const LONG = 'lorem ipsum '.repeat(700);

test('the chat example talks past its window, then streams', async (context) => {
  const model = new ScriptedModel({ window: 32_768 });
  context.mock.method(globalThis, 'fetch', model.fetch);
  const chat = createChat('example', memory(), 'https://model.example/v1');
  for (let i = 0; i < 20; i++) assert.equal((await chat.send(`${i} ${LONG}`))?.role, 'assistant');
  let painted = 0;
  await chat.stream('and now streamed', (bytes) => (painted += bytes.length));
  assert.ok(painted > 0 && chat.session.history().length > 0);
  assert.equal(chat.messages.length, 41);
});

test('the full-control example compacts when it is due, and reports what the provider counted', async () => {
  const model = new ScriptedModel({ window: 32_768 });
  const ask = async (name: string, messages: readonly object[]) => JSON.parse(await (await model.fetch('', { body: JSON.stringify({ model: name, messages }) })).text());
  const models: Models = { complete: (messages) => ask('large', messages), summarize: ({ messages }) => ask('small', messages) };
  const { session, compactIfDue, call } = openByHand('by hand', memory(), models);
  const messages: ChatMessage[] = [];
  const outcomes = new Set<string>();
  for (let i = 0; i < 20; i++) {
    messages.push({ role: 'user', content: `${i} ${LONG}` });
    outcomes.add(await compactIfDue(messages));
    await call(messages);
    messages.push({ role: 'assistant', content: 'answered' });
  }
  assert.ok(outcomes.has('committed'), [...outcomes].join('\n'));
  assert.equal(session.getSnapshot().confidence, 'reported');
});
