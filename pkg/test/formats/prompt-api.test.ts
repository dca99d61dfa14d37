import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promptApi } from '../../src/formats/prompt-api/prompt-api.js';
import { Flag, Role } from '../../src/formats/reader.js';
import { fingerprint } from './fingerprint.js';

const read = promptApi.message;
const id = (message: unknown): string => fingerprint(promptApi, message);
const user = (...content: unknown[]) => ({ role: 'user' as const, content });

test('a stored fingerprint of a prompt finds it again in every later release', () => {
  assert.equal(id({ role: 'user', content: 'Grüße, 漢字 🙂' }), 'fd449a691f5afad0');
  assert.equal(id(user({ type: 'image', value: new Uint8Array([1, 2, 3]) })), '7eefb9931ddf814e');
});

test('a string and its one text part are the same prompt', () => {
  assert.equal(id({ role: 'user', content: 'a' }), id(user({ value: 'a', type: 'text' })));
  assert.equal(promptApi.text(user({ type: 'text', value: 'see' }, { type: 'image', value: {} })), 'see\n[image]');
});

test('roles read as system, user and assistant, and prompts call no tools', () => {
  assert.deepEqual(['system', 'user', 'assistant', 'other'].map((role) => read({ role, content: 'x' }).role), [Role.system, Role.user, Role.assistant, Role.assistant]);
  assert.deepEqual(promptApi.closing(['c'], 'gone'), []);
});

test('images and sounds without fields of their own are told apart by what they say of themselves', () => {
  class Bitmap {
    constructor(readonly side: number) {}
    get width(): number {
      return this.side;
    }
  }
  const all = [new Bitmap(1), new Bitmap(2), { duration: 3 }, new Uint8Array([1]), new Uint8Array([2]), new Uint8Array([3]).buffer].map((value) => user({ type: 'image', value }));
  assert.equal(new Set(all.map(id)).size, all.length);
  assert.ok(all.every((message) => read(message).flags === Flag.image && read(message).tokens === 1_200));
});

test('a capped prompt keeps its media; without media they are named', () => {
  const image = { type: 'image', value: new Uint8Array(9_000) };
  const [words, picture] = JSON.parse(JSON.stringify(promptApi.capped(user({ type: 'text', value: 'words '.repeat(2_000) }, image), 300).content));
  assert.ok(words.value.length < 350);
  assert.equal(Object.keys(picture.value).length, 9_000);
  assert.deepEqual(promptApi.withoutMedia(user(image)), user({ type: 'text', value: '[image]' }));
  assert.deepEqual(promptApi.replaced(user(image), '[cleared]'), user({ type: 'text', value: '[cleared]' }));
});

test('what is made may stand anywhere in a session: nothing of it is a system message', () => {
  const made = [promptApi.summaryMessage('x\n<cg-summary>\nGoal\n</cg-summary>'), promptApi.lateResult('late'), ...promptApi.requestMessages('rules', 'material')];
  assert.deepEqual(made.map(({ role }) => role), ['user', 'user', 'user']);
  assert.equal(read(made[0]).flags, Flag.hostSummary);
  assert.equal(made[2]?.content, 'rules\n\nmaterial');
});

test('a session says what its whole context holds, under its new and its old name', () => {
  assert.deepEqual([{ contextUsage: 1_234.5, contextWindow: 9_216 }, { inputUsage: 77, inputQuota: 6_144 }, { promptTokens: 9 }].map((source) => promptApi.usage(source)?.promptTokens), [1_235, 77, 9]);
  for (const nothing of [{ contextUsage: 0 }, { contextUsage: Number.POSITIVE_INFINITY }, { contextUsage: '5' }, 'text', undefined]) assert.equal(promptApi.usage(nothing), undefined);
});

test('a prompt that did not fit is known by its numbers, and a full disk is not taken for one', () => {
  const error = (fields: object) => Object.assign(new Error('too large'), { name: 'QuotaExceededError', ...fields });
  assert.deepEqual(promptApi.overflow(error({ requested: 9_500, quota: 9_216 })), { limit: 9_216 });
  assert.deepEqual(promptApi.overflow(error({ requested: 9_500, contextWindow: 6_144 })), { limit: 6_144 });
  assert.deepEqual(promptApi.overflow(new Error('failed', { cause: error({ requested: 1, quota: 4_096 }) })), { limit: 4_096 });
  for (const other of [error({}), error({ requested: null, quota: null }), error({ quota: 5_000_000 }), new Error('network'), undefined]) assert.equal(promptApi.overflow(other), undefined);
});

test('an answer is the string that it is', () => {
  assert.deepEqual(promptApi.reply('Goal: go on'), { text: 'Goal: go on', finish: 'unknown', usage: undefined });
});
