// Every shape of a message against every detector: what tells one format from another, as a list and one a line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chat, lines, use, withFile } from './fixtures.mjs';
import { outputText } from './formats.mjs';
import { load } from './load.mjs';
import { tool } from './tool.mjs';

const { recognise } = await load('read/recognise.ts');
const { KINDS } = await load('read/formats.ts');

const text = (said) => ({ type: 'text', text: said });
const toolCall = (toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: { path: 'a' } });
const toolResult = (toolCallId, output = { type: 'text', value: 'found' }) => ({ type: 'tool-result', toolCallId, toolName: 'read', output });
const png = 'iVBORw0KGgo=';

/** What only this format can say, beside plain messages. */
const TELLING = {
  openai_chat: [[chat.call('c'), chat.result('c', 'found')], [{ role: 'user', content: [text('look'), { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }] }], [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }]],
  openai_responses: [[{ type: 'function_call', call_id: 'c', name: 'read', arguments: '{}' }, { type: 'function_call_output', call_id: 'c', output: 'found' }], [outputText('yes')]],
  anthropic: [[{ role: 'assistant', content: [use('c')] }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'found' }] }], [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }] }]],
  model_messages: [
    [{ role: 'assistant', content: [text('let me see'), toolCall('c')] }, { role: 'tool', content: [toolResult('c')] }], [{ role: 'user', content: [text('look'), { type: 'file', mediaType: 'image/png', data: png }] }],
    [{ role: 'user', content: [{ type: 'image', image: png }] }], [{ role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }, text('yes')] }],
    [{ role: 'assistant', content: [toolCall('c'), { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' }] }, { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] }],
  ],
  gemini: [[{ role: 'user', parts: [{ text: 'hi' }] }, { role: 'model', parts: [{ functionCall: { name: 'read', args: {} } }] }]],
  ui_messages: [[{ id: '1', role: 'user', parts: [text('hi')] }, { id: '2', role: 'assistant', parts: [{ type: 'step-start' }, text('yes')] }]],
  langchain: [[{ type: 'human', content: 'hi' }, { type: 'ai', content: 'yes' }]],
  sharegpt: [[{ from: 'human', value: 'hi' }, { from: 'gpt', value: 'yes' }]],
};
/** Messages that are the same in all of these. */
const PLAIN = [chat.user('hi'), chat.answer('yes?'), chat.user('go on')];
const SHARING = ['openai_chat', 'openai_responses', 'anthropic', 'model_messages'];

test('what only one format can say is recognised by its detector and by no other', () => {
  for (const [format, samples] of Object.entries(TELLING)) {
    for (const sample of samples) {
      const able = KINDS.filter((kind) => kind.recognises(sample)).map((kind) => kind.format);
      assert.deepEqual(able, [format], JSON.stringify(sample));
    }
  }
  assert.deepEqual(KINDS.filter((kind) => kind.recognises(PLAIN)).map((kind) => kind.format).sort(), [...SHARING].sort());
});

test('a conversation that begins as several formats could is the one that its later messages tell, as a list and one a line', async () => {
  const many = Array.from({ length: 15 }, () => PLAIN).flat();
  for (const format of SHARING) {
    for (const sample of TELLING[format]) {
      for (const messages of [[...PLAIN, ...sample, chat.user('and now?')], [...many, ...sample], [...sample, ...PLAIN]]) {
        for (const content of [JSON.stringify(messages), lines(messages)]) {
          assert.equal(await withFile(content, async (path) => (await recognise(path)).format), format, content.slice(-300));
        }
      }
    }
  }
  assert.equal(await withFile(lines(many), async (path) => (await recognise(path)).format), 'openai_chat', 'plain ones are what most are');
});

test('model_message_calls_results_approvals_and_files_are_read_as_the_package_reads_them', async () => {
  const messages = [
    { role: 'system', content: 's' }, { role: 'user', content: [text('go'), { type: 'file', mediaType: 'image/png', data: png }] },
    { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }, toolCall('a'), toolCall('b')] }, { role: 'tool', content: [toolResult('b', { type: 'json', value: { n: 1 } }), toolResult('a', { type: 'content', value: [text('seen'), { type: 'media', data: png, mediaType: 'image/png' }] })] },
    { role: 'assistant', content: [{ ...toolCall('p'), providerExecuted: true }, toolResult('p'), text('done')] },
    { role: 'assistant', content: [toolCall('q'), { type: 'tool-approval-request', approvalId: 'x', toolCallId: 'q' }] }, { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'x', approved: false, reason: 'no' }, toolResult('q', { type: 'execution-denied', reason: 'no' })] },
  ];
  const steps = await withFile(JSON.stringify(messages), async (path) => {
    const found = [];
    for await (const [step] of (await recognise(path)).steps) if (step.kind === 'entry') found.push(step.entry);
    return found;
  });
  assert.deepEqual(steps.map(({ role, flags, group, calls }) => [role, flags & ~1, group, calls]), [[0, 0, 0, 0], [1, 8, 1, 0], [2, 2, 2, 2], [3, 4, 2, 0], [3, 12, 2, 0], [2, 0, 5, 0], [2, 2, 6, 2], [3, 4, 6, 0], [3, 4, 6, 0]]);
  assert.deepEqual(steps.map(({ said }) => said.texts.join(' ').trim()), ['s', 'go', 'hm read {"path":"a"} read {"path":"a"}', '{"n":1}', 'seen', 'done read {"path":"a"} found', 'read {"path":"a"}', 'denied no', 'no']);
});

test('doctor and replay take a list of model messages', async () => {
  const messages = [chat.user('go'), { role: 'assistant', content: [toolCall('a')] }, { role: 'tool', content: [toolResult('a')] }, { role: 'assistant', content: [toolCall('lost')] }, chat.user('on'), { role: 'assistant', content: [text('done')] }];
  await withFile(JSON.stringify(messages), async (path) => {
    const doctor = JSON.parse((await tool('doctor', path, '--json')).out);
    assert.deepEqual([doctor.format, doctor.conversations[0].entries, doctor.conversations[0].orphans.calls, doctor.unreadable], ['model_messages', 6, [4], []]);
    for (const args of [[], ['--simulate'], ['--summarize', 'scripted']]) {
      const told = (await tool('replay', path, '--json', ...args)).out.trim().split('\n').map((line) => JSON.parse(line));
      assert.deepEqual([told[0].format, told.at(-1).entries, told.at(-1).modelCalls], ['model_messages', 6, 3]);
    }
  });
});
