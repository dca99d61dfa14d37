// The readers of the SDKs before what may stand where a message should, and in places that only they look into.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aiSdkModel } from '../../src/formats/ai-sdk/model.js';
import { aiSdkUi, tanstackUi } from '../../src/formats/ai-sdk/ui.js';
import { langchain } from '../../src/formats/langchain/langchain.js';
import { promptApi } from '../../src/formats/prompt-api/prompt-api.js';
import { withstands } from './hostile.js';

withstands(aiSdkUi, {
  called: (input) => ({ id: 'm', role: 'assistant', parts: [{ type: 'tool-read', toolCallId: 'c', state: 'input-available', input, approval: {} }, { type: 'reasoning', text: 'hm', providerMetadata: {} }] }),
  answered: (output) => ({ role: 'assistant', metadata: {}, parts: [{ type: 'dynamic-tool', toolName: 'read', toolCallId: 'c', state: 'output-available', input: {}, output }] }),
  steered: (text) => ({ role: 'assistant', parts: [{ type: 'steering-message', parts: [{ type: 'text', text }] }, { type: 'file', mediaType: 'image/png', url: 'data:,1' }] }),
});

withstands(tanstackUi, {
  text: (content) => ({ role: 'user', parts: [{ type: 'text', content }, { type: 'thinking', content: 'hm' }, { type: 'image', source: {} }] }),
  called: (output) => ({ role: 'assistant', parts: [{ type: 'tool-call', id: 'c', name: 'read', arguments: '{}', output }, { type: 'tool-result', toolCallId: 'd', content: 'x' }] }),
});

withstands(aiSdkModel, {
  called: (input) => ({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'read', input }, { type: 'reasoning', text: 'hm', providerOptions: {} }] }),
  answered: (value) => ({ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', output: { type: 'json', value } }, { type: 'tool-approval-response', approvalId: 'p', reason: 'no' }] }),
  shown: (text) => ({ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', output: { type: 'content', value: [{ type: 'text', text }] } }] }),
});

withstands(langchain, {
  called: (args) => ({ lc: 1, id: ['AIMessage'], kwargs: { content: [{ type: 'tool_use', input: {} }], tool_calls: [{ id: 'c', name: 'read', args }], additional_kwargs: {} } }),
  answered: (content) => ({ type: 'tool', data: { tool_call_id: 'c', content, name: 'read' } }),
});

withstands(promptApi, {
  text: (value) => ({ role: 'user', content: [{ type: 'text', value }] }),
  media: (value) => ({ role: 'user', content: [{ type: 'image', value }, { type: 'text', value: 'A1'.repeat(400) }] }),
});

test('a message that holds itself in a place that only these readers know is read to its end', () => {
  for (const reader of [aiSdkUi, tanstackUi, aiSdkModel, langchain, promptApi]) {
    for (const key of ['kwargs', 'data', 'steps', 'finalStep', 'metadata', 'messages', 'parts', 'value', 'additional_kwargs', 'cause', 'lastError']) {
      const cycle: Record<string, unknown> = { role: 'assistant', type: 'steering-message', id: ['AIMessage'], content: 'x' };
      cycle[key] = cycle;
      for (const message of [cycle, { role: 'assistant', parts: [cycle] }, Object.assign([cycle], { content: cycle })]) {
        assert.equal(typeof reader.text(message), 'string');
        assert.equal(typeof reader.reply(message).text, 'string');
        for (const read of [reader.message, reader.usage, reader.overflow]) assert.doesNotThrow(() => read(message));
      }
    }
  }
});

test('an object that fails when it is asked for its kind is still read', () => {
  const broken = { content: 'kept', getType: () => assert.fail('asked'), _getType: () => 'human' };
  assert.equal(langchain.text(broken), 'kept');
  assert.equal(langchain.message(broken).role, 1, 'the older question is asked next');
});
