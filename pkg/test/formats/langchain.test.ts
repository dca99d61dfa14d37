import assert from 'node:assert/strict';
import { test } from 'node:test';
import { langchain } from '../../src/formats/langchain/langchain.js';
import { Flag, Role } from '../../src/formats/reader.js';
import { fingerprint } from './fingerprint.js';

const read = langchain.message;
const id = (message: unknown): string => fingerprint(langchain, message);
const call = (callId = 'c') => ({ id: callId, name: 'read', args: { path: 'a' }, type: 'tool_call' });

/** An instance as LangChain makes them: its kind is asked for, its fields are kept a second time for storing. */
class Message {
  readonly lc_kwargs: object;
  content: unknown = '';
  constructor(fields: object, readonly kind: string) {
    this.lc_kwargs = { ...fields };
    Object.assign(this, fields);
  }
  getType(): string {
    return this.kind;
  }
  get contentBlocks(): readonly unknown[] {
    return [];
  }
}

/** The same message in every form that LangChain has or takes. */
function forms(type: string, role: string, className: string, fields: object): Record<string, unknown> {
  return {
    instance: new Message(fields, type),
    typed: { type, ...fields },
    chunk: { type: `${className}Chunk`, ...fields },
    role: { role, ...fields },
    serialised: { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', className], kwargs: fields },
    stored: { type, data: fields },
  };
}

const ai = forms('ai', 'assistant', 'AIMessage', { id: 'm1', content: 'look', tool_calls: [call()] });
const human = forms('human', 'user', 'HumanMessage', { id: 'm2', content: 'Grüße, 漢字 🙂' });
const tool = forms('tool', 'tool', 'ToolMessage', { id: 'm3', content: 'done', tool_call_id: 'c', name: 'read', artifact: { unseen: 1 } });
const system = forms('system', 'system', 'SystemMessage', { id: 'm4', content: 'rules' });

test('a stored fingerprint of a LangChain message finds it again in every later release', () => {
  assert.deepEqual([id(human.typed), id(ai.typed), id(tool.typed)], ['fd449a691f5afad0', '4df7ca1cce693b0a', 'db2f9cb78ed86dc8']);
});

test('a message reads the same in all its forms', () => {
  for (const message of [ai, human, tool, system]) {
    const [first, ...others] = Object.entries(message);
    for (const [form, other] of others) assert.deepEqual([read(other), langchain.id(other), langchain.text(other)], [read(first?.[1]), langchain.id(first?.[1]), langchain.text(first?.[1])], form);
  }
  assert.deepEqual(read(['human', 'Grüße, 漢字 🙂']), read(human.typed));
  assert.deepEqual(read('Grüße, 漢字 🙂'), read(human.typed));
});

test('roles, calls and results are read from their fields', () => {
  const roles = [system, human, ai, tool].map(({ stored }) => read(stored).role);
  assert.deepEqual(roles, [Role.system, Role.user, Role.assistant, Role.tool]);
  assert.deepEqual([read(ai.instance).calls, read(ai.instance).flags], [['c'], Flag.call]);
  assert.deepEqual([read(tool.instance).answers, read(tool.instance).flags], [['c'], Flag.result]);
  assert.deepEqual([read({ type: 'generic', role: 'user', content: 'x' }).role, read({ type: 'chat', data: { role: 'system', content: 'x' } }).role], [Role.user, Role.system]);
  assert.deepEqual(langchain.id(human.serialised), 'm2');
  assert.equal(langchain.id({ type: 'human', content: 'x', id: null }), undefined);
});

test('a call that stands in the content and in the list is one call', () => {
  const content = [{ type: 'text', text: 'look' }, { type: 'tool_use', id: 'c', name: 'read', input: { path: 'a' } }];
  assert.deepEqual(read({ type: 'ai', content, tool_calls: [call()] }).calls, ['c']);
  assert.deepEqual(read({ type: 'ai', content }).calls, ['c']);
  assert.equal(id({ type: 'ai', content, tool_calls: [call()] }), id(ai.typed));
});

test('calls as their provider wrote them are read where LangChain parsed none', () => {
  const raw = { type: 'ai', content: '', additional_kwargs: { tool_calls: [{ id: 'c', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }] } };
  assert.deepEqual([read(raw).calls, langchain.text(raw)], [['c'], 'read({"path":"a"})']);
  const legacy = [read({ type: 'ai', content: '', additional_kwargs: { function_call: { name: 'f', arguments: '{}' } } }), read({ type: 'function', name: 'f', content: '1' })] as const;
  assert.deepEqual(legacy[0].calls, legacy[1].answers);
});

test('what only the host knows does not count', () => {
  const noted = { ...Object(ai.typed), id: 'other', usage_metadata: { input_tokens: 5 }, response_metadata: { model_name: 'm' }, invalid_tool_calls: [], additional_kwargs: { reasoning_content: 'hm' } };
  assert.deepEqual(read(noted), read(ai.typed));
});

test('blocks are read in LangChain\'s form and in that of the providers', () => {
  const blocks: [unknown, string][] = [
    ['bare', 'bare'],
    [{ type: 'text', text: 'a' }, 'a'],
    [{ type: 'reasoning', reasoning: 'because' }, ''],
    [{ type: 'thinking', thinking: 'hm', signature: 'AA' }, ''],
    [{ type: 'refusal', refusal: 'no' }, 'no'],
    [{ type: 'image_url', image_url: 'data:,1' }, '[image]'],
    [{ type: 'image', source_type: 'base64', data: 'AAAA', mime_type: 'image/png' }, '[image]'],
    [{ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }, '[audio]'],
    [{ type: 'file', fileId: 'f1' }, '[file]'],
    [{ type: 'file', source_type: 'text', text: 'inline' }, 'inline'],
    [{ type: 'server_tool_call', id: 's', name: 'search', args: { q: 'x' } }, 'search({"q":"x"})'],
    [{ type: 'server_tool_call_result', toolCallId: 's', output: { hits: 3 } }, '{"hits":3}'],
    [{ type: 'non_standard', value: { odd: 1 } }, '{"odd":1}'],
  ];
  for (const [block, shown] of blocks) assert.equal(langchain.text({ type: 'ai', content: [block] }), shown, JSON.stringify(block));
  const closed = read({ type: 'ai', content: [{ type: 'server_tool_call', id: 's', name: 'search', args: {} }, { type: 'server_tool_call_result', toolCallId: 's', output: {} }] });
  assert.deepEqual([closed.calls, closed.answers], [[], []]);
});

test('a summary of LangChain\'s own middleware is recognised by its mark and by how it begins', () => {
  assert.equal(read({ type: 'human', content: 'what was said', additional_kwargs: { lc_source: 'summarization' } }).flags, Flag.hostSummary);
  assert.equal(read({ type: 'human', content: 'Here is a summary of the conversation to date:\n\nGoal' }).flags, Flag.hostSummary);
  const ours = langchain.summaryMessage('x\n<cg-summary>\nGoal\n</cg-summary>');
  assert.deepEqual([read(ours).flags, read(ours).role], [Flag.hostSummary, Role.user]);
});

test('an edit leaves each message in the form it had', () => {
  for (const [form, message] of Object.entries(tool)) {
    const replaced: unknown = langchain.replaced(Object(message), '[cleared]');
    assert.equal(langchain.text(replaced), '[cleared]', form);
    assert.deepEqual([read(replaced).answers, read(replaced).role, langchain.id(replaced)], [['c'], Role.tool, 'm3'], form);
    assert.equal(Object.getPrototypeOf(replaced), Object.getPrototypeOf(message), form);
    assert.deepEqual(Object.keys(Object(replaced)), Object.keys(Object(message)), form);
  }
  const instance = langchain.replaced(new Message({ content: 'done', tool_call_id: 'c' }, 'tool'), '[cleared]');
  assert.ok(instance instanceof Message && instance.getType() === 'tool');
  assert.deepEqual(instance.lc_kwargs, { content: '[cleared]', tool_call_id: 'c' }, 'it is stored as it reads');
  assert.equal(langchain.replaced(Object(ai.typed), '[cleared]'), ai.typed, 'nothing to replace: the same object');
});

test('a capped message keeps calls as objects and sealed reasoning as it was, in every form', () => {
  const long = 'words '.repeat(2_000);
  const thinking = { type: 'thinking', thinking: long, signature: 'AA' };
  const encrypted = { type: 'reasoning', reasoning: long, extras: { signature: 'AA' } };
  const fields = { content: [thinking, { type: 'text', text: long }, encrypted, { type: 'reasoning', reasoning: long }], tool_calls: [{ ...call(), args: { path: 'a', body: long } }] };
  for (const [form, message] of Object.entries(forms('ai', 'assistant', 'AIMessage', fields))) {
    const capped: unknown = langchain.capped(Object(message), 400);
    const { content, tool_calls } = Object(capped).kwargs ?? Object(capped).data ?? Object(capped);
    assert.deepEqual([content[0], content[2], tool_calls[0].id, tool_calls[0].args.path], [thinking, encrypted, 'c', 'a'], form);
    assert.ok(content[3].reasoning.length < 450 && content[1].text.length < 450 && tool_calls[0].args.body.length < 450, form);
    assert.deepEqual(read(capped).calls, ['c'], form);
  }
});

test('without media, blocks that hold some are text', () => {
  const message = { type: 'human', content: [{ type: 'text', text: 'see' }, { type: 'image_url', image_url: { url: 'data:,1' } }] };
  assert.deepEqual(langchain.withoutMedia(message), { type: 'human', content: [{ type: 'text', text: 'see' }, { type: 'text', text: '[image]' }] });
});

test('what is made is what LangChain takes wherever it takes messages', () => {
  assert.deepEqual(langchain.requestMessages('rules', 'material'), [{ role: 'system', content: 'rules' }, { role: 'user', content: 'material' }]);
  const [closing] = langchain.closing(read(ai.instance).calls, 'interrupted');
  assert.deepEqual([read(closing).answers, read(closing).role], [['c'], Role.tool]);
});
