// Each level is written with the public methods of the one below: the lower level is handed in behind a gate that knows no others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAiChat } from '../src/formats/openai/openai-chat.js';
import { compactByHand, prepareStep } from '../src/session/prepare.js';
import { runCall } from '../src/session/run.js';
import { openHost, turn } from './host.js';

/** Lets `names` through and notes their use; anything else that is touched fails the test. */
function gate<T extends object>(target: T, names: readonly (keyof T)[], used: Set<PropertyKey>): T {
  return new Proxy(target, {
    get(object, name) {
      assert.ok(names.some((allowed) => allowed === name), `${String(name)} is not of the level below`);
      used.add(name);
      const value: unknown = Reflect.get(object, name);
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}

test('run is written with prepare and the step it returns', async () => {
  const host = openHost({ window: 3_000 }, { contextWindow: 4_096 });
  while (host.model.of('large').length < 4) await turn(host, 350);
  const used = new Set<PropertyKey>();
  const session = gate(host.session, ['prepare'], used);
  host.messages.push({ role: 'user', content: 'and now?' });
  const reply = await runCall(session, host.messages, (view) => host.complete('large', view));
  assert.ok(reply.choices[0]);
  assert.deepEqual([...used], ['prepare']);
});

test('prepare and compact are written with ready, explain and advanced', async () => {
  const host = openHost();
  for (let i = 0; i < 8; i++) await turn(host, 300);
  const used = new Set<PropertyKey>();
  const advanced = gate(host.session.advanced, ['observe', 'plan', 'view', 'recordUsage', 'recordOverflow'], used);
  const session = gate({ ready: host.session.ready, explain: () => host.session.explain(), advanced }, ['ready', 'explain', 'advanced'], used);
  host.messages.push({ role: 'user', content: 'lorem ipsum '.repeat(400) });
  const step = await prepareStep(session, openAiChat(), [{ summarize: async () => 'Goal: test. State: eight turns were answered. Next: go on.' }], host.messages);
  await step.done({ promptTokens: 900 });
  await step.failed(Object.assign(new Error('prompt is too long'), { status: 400 }));
  const result = await compactByHand(session, [{ summarize: async () => 'Goal: test. State: nine turns were answered. Next: go on.' }], host.messages);
  assert.ok(result.status.length > 0);
  assert.deepEqual([...used].sort(), ['advanced', 'explain', 'observe', 'plan', 'ready', 'recordOverflow', 'recordUsage', 'view']);
});
