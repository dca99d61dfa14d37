// The Worker of www/worker, as it is deployed: streams, sleeps, wakes, and talks to three kinds of provider.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startWorkers } from './support/workers.mjs';

const entry = fileURLToPath(new URL('lab/chat.mjs', import.meta.url));
const text = (n) => `message ${n} ${'lorem ipsum '.repeat(120)}`;
const asked = [];

/** An OpenAI-compatible provider: strict about members, streaming with usage at the end. */
async function provider(request) {
  const body = await request.json();
  asked.push({ authorization: request.headers.get('authorization'), ...body });
  const unknown = body.messages.flatMap((message) => Object.keys(message)).filter((key) => !['role', 'content'].includes(key));
  if (unknown.length > 0) return Response.json({ error: { message: `Additional properties are not allowed (${unknown[0]})` } }, { status: 400 });
  const prompt = Math.ceil(JSON.stringify(body.messages).length / 4);
  const usage = { prompt_tokens: prompt, completion_tokens: 5, total_tokens: prompt + 5 };
  if (!body.stream) return Response.json({ choices: [{ message: { role: 'assistant', content: 'The user counts. All was answered. Next: go on.' }, finish_reason: 'stop' }], usage });
  const events = ['Hello', ' there'].map((content) => ({ choices: [{ delta: { content } }] }));
  return new Response([...events, { choices: [], usage }].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + 'data: [DONE]\n\n', { headers: { 'content-type': 'text/event-stream' } });
}

/** Workers AI as far as it is used: a method of a binding, whose streams have another shape. */
const AI = {
  name: 'ai',
  modules: true,
  script: `import { WorkerEntrypoint } from 'cloudflare:workers';
    export class Ai extends WorkerEntrypoint {
      run(model, { messages, stream }) {
        const prompt = Math.ceil(JSON.stringify(messages).length / 4);
        const usage = { prompt_tokens: prompt, completion_tokens: 4, total_tokens: prompt + 4 };
        if (!stream) return { response: 'The user counts. All was answered. Next: go on.', usage };
        const events = [{ response: model }, { response: ' speaks' }, { response: '', usage }];
        return new Response(events.map((event) => 'data: ' + JSON.stringify(event) + '\\n\\n').join('') + 'data: [DONE]\\n\\n').body;
      }
    }
    export default {};`,
};

const vars = { CONTEXT_WINDOW: '4096', PROVIDER_URL: 'https://provider.example/v1' };
const objects = { CHAT: 'Chat' };
const scripted = await startWorkers(entry, { objects, bindings: { ...vars, MODEL: 'scripted' } });

/** What came of one message by server-sent events. */
async function say(workers, id, message) {
  const response = await workers.fetch(`/chat/${id}`, { method: 'POST', body: message });
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  return (await response.text()).split('\n\n').filter(Boolean).map((event) => JSON.parse(event.slice('data: '.length)));
}

async function contextOf(workers, id) {
  return (await workers.fetch(`/chat/${id}/context`)).json();
}

test('a message streams back word by word, and both are kept', async () => {
  const told = await say(scripted, 'first', 'hello to you');
  const deltas = told.filter(({ type }) => type === 'delta').map(({ text }) => text);
  assert.ok(deltas.length >= 4, JSON.stringify(told));
  assert.deepEqual(told.at(-1), { type: 'done', text: 'You said: hello to you' });
  assert.equal(deltas.join(''), 'You said: hello to you');
  const messages = await (await scripted.fetch('/chat/first/messages')).json();
  assert.deepEqual(messages.map(({ role, content }) => [role, content]), [['user', 'hello to you'], ['assistant', 'You said: hello to you']]);
});

test('a conversation past its window is summarised, says so, and shows it in its context', async () => {
  const told = [];
  for (let n = 0; n < 12; n += 1) told.push(...(await say(scripted, 'long', text(n))));
  assert.ok(told.filter(({ type }) => type === 'compaction').map(({ status }) => status).includes('completed'));
  assert.deepEqual(told.filter(({ type }) => type === 'error'), []);
  const { snapshot, decision, history } = await contextOf(scripted, 'long');
  assert.ok(snapshot.compactions >= 1 && history.length >= 1);
  assert.ok(decision.usedTokens < decision.windowTokens && decision.windowTokens === 4_096, JSON.stringify(decision));
});

test('a process that was killed goes on behind the summary', async () => {
  const before = await contextOf(scripted, 'long');
  await scripted.killAndRestart();
  const after = await contextOf(scripted, 'long');
  assert.deepEqual(after.history, before.history);
  assert.equal((await say(scripted, 'long', 'and on')).at(-1).text, 'You said: and on');
});

test('messages sent at once are answered one after the other', async () => {
  const slow = async (request) => {
    const answer = await provider(request);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return answer;
  };
  const workers = await startWorkers(entry, { objects, bindings: { ...vars, MODEL: 'some-model', PROVIDER_KEY: 'a key' }, serviceBindings: { PROVIDER: slow } });
  await Promise.all(Array.from({ length: 4 }, (_, n) => say(workers, 'both', `number ${n}`)));
  const roles = (await (await workers.fetch('/chat/both/messages')).json()).map(({ role }) => role);
  assert.deepEqual(roles, Array.from({ length: 4 }, () => ['user', 'assistant']).flat());
  asked.length = 0;
});

test('a WebSocket outlives the object that sleeps, and the next message finds the summary', { timeout: 60_000 }, async () => {
  for (let n = 0; n < 8; n += 1) await say(scripted, 'asleep', text(n));
  const { history } = await contextOf(scripted, 'asleep');
  assert.equal(history.length, 1);
  const { webSocket } = await scripted.fetch('/chat/asleep', { headers: { upgrade: 'websocket' } });
  webSocket.accept();
  const heard = [];
  let done;
  webSocket.addEventListener('message', ({ data }) => {
    heard.push(JSON.parse(data));
    if (heard.at(-1).type === 'done') done();
  });
  const answered = () => new Promise((resolve) => (done = resolve));
  let next = answered();
  webSocket.send('awake');
  await next;
  const born = await (await scripted.fetch('/births')).json();
  await new Promise((resolve) => setTimeout(resolve, SLEEPS_AFTER_MS));
  next = answered();
  webSocket.send('still there?');
  await next;
  assert.equal(heard.at(-1).text, 'You said: still there?');
  assert.equal(await (await scripted.fetch('/births')).json(), born + 1, 'it slept, and was made again');
  assert.deepEqual((await contextOf(scripted, 'asleep')).history, history);
  webSocket.close();
});

test('an OpenAI-compatible provider is asked with its key, and sent what it knows', async () => {
  const workers = await startWorkers(entry, { objects, bindings: { ...vars, MODEL: 'some-model', PROVIDER_KEY: 'a key' }, serviceBindings: { PROVIDER: provider } });
  for (let n = 0; n < 12; n += 1) assert.deepEqual((await say(workers, 'bound', text(n))).at(-1), { type: 'done', text: 'Hello there' });
  assert.ok(asked.every(({ authorization, model }) => authorization === 'Bearer a key' && model === 'some-model'));
  const { snapshot, decision } = await contextOf(workers, 'bound');
  assert.ok(snapshot.compactions >= 1, 'a summary came from it');
  assert.ok(['reported', 'calibrated'].includes(decision.confidence), 'its usage was read from the stream');
  assert.equal(asked.filter(({ stream }) => !stream).length, snapshot.compactions);
});

test('Workers AI streams in its own shape, and summarises', async () => {
  const workers = await startWorkers(entry, { objects, bindings: { ...vars, MODEL: '@cf/some/model' }, serviceBindings: { AI: { name: 'ai', entrypoint: 'Ai' } }, beside: [AI] });
  for (let n = 0; n < 12; n += 1) assert.deepEqual((await say(workers, 'ai', text(n))).at(-1), { type: 'done', text: '@cf/some/model speaks' });
  const { snapshot, decision } = await contextOf(workers, 'ai');
  assert.ok(snapshot.compactions >= 1 && decision.confidence !== 'estimated', JSON.stringify(decision));
});

test('a provider that fails is told to the page, and the next message is answered', async () => {
  let down = true;
  const workers = await startWorkers(entry, { objects, bindings: { ...vars, MODEL: 'some-model' }, serviceBindings: { PROVIDER: (request) => (down ? Response.json({ error: { message: 'down' } }, { status: 503 }) : provider(request)) } });
  assert.deepEqual(await say(workers, 'down', 'hello'), [{ type: 'error', message: 'the provider answered 503' }]);
  down = false;
  assert.equal((await say(workers, 'down', 'hello again')).at(-1).type, 'done');
});

test('an object that is overloaded or moving is answered for with a status and a wait, and any other fault is not hidden', async () => {
  const refused = (facts) => scripted.fetch(`/chat/any?refused=${encodeURIComponent(JSON.stringify(facts))}`, { method: 'POST', body: 'hello' });
  const overloaded = await refused({ overloaded: true, retryable: true });
  assert.deepEqual([overloaded.status, overloaded.headers.get('retry-after')], [429, '30']);
  const moving = await refused({ retryable: true });
  assert.deepEqual([moving.status, moving.headers.get('retry-after')], [503, '1']);
  assert.equal((await refused({ remote: true })).status, 500);
});

/** An object without requests sleeps after ten seconds. */
const SLEEPS_AFTER_MS = 13_000;
