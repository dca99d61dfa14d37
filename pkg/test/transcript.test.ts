import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openAiChat } from '../src/formats/openai/openai-chat.js';
import { Transcript } from '../src/session/transcript.js';

const ALONE = 0xffff_ffff;

interface Entry {
  readonly id: string;
  readonly group: number;
  readonly calls: number;
}

/** An index that notes what it is told, and a transcript over it. */
function watched() {
  const entries: Entry[] = [];
  const told = { pushed: 0, entries };
  const index = {
    push(hi: number, lo: number, _role: number, _flags: number, _tokens: number, group: number, calls: number): void {
      told.pushed++;
      entries.push({ id: `${hi} ${lo}`, group, calls });
    },
    truncate(length: number): void {
      entries.length = length;
    },
    /** One system message, then a summary of what ends with entry 9. */
    resumeAfter(): Uint32Array {
      entries.length = 0;
      entries.push(...Array.from({ length: 10 }, () => ({ id: 'covered', group: ALONE, calls: 0 })));
      return Uint32Array.of(1, 10);
    },
  };
  return { told, transcript: new Transcript(index, openAiChat<unknown>()) };
}

const user = (content: string) => ({ role: 'user', content });
const call = (...ids: string[]) => ({ role: 'assistant', tool_calls: ids.map((id) => ({ id, function: { name: 'f', arguments: '{}' } })) });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: id });

test('messages that were seen before are not read into the index again', () => {
  const { told, transcript } = watched();
  const messages = [user('a'), user('b')];
  transcript.observe(messages);
  transcript.observe([...messages, user('c')]);
  assert.equal(told.pushed, 3);
  transcript.observe(structuredClone([...messages, user('c')]));
  assert.equal(told.pushed, 3, 'equal messages from a database are the same ones');
});

test('an edit cuts the index back to the first difference and reads the rest', () => {
  const { told, transcript } = watched();
  transcript.observe([user('a'), user('b'), user('c')]);
  transcript.observe([user('a'), user('B'), user('c'), user('d')]);
  assert.equal(told.pushed, 6);
  assert.equal(told.entries.length, 4);
});

test('a last message that the host streams into is noticed although it is the same object', () => {
  const { told, transcript } = watched();
  const messages = [user('a'), user('grow')];
  transcript.observe(messages);
  const before = told.entries[1]?.id;
  Object.assign(messages[1] ?? {}, { content: 'growing' });
  transcript.observe(messages);
  assert.notEqual(told.entries[1]?.id, before);
});

test('a result names the call that it answers, and nothing else names one', () => {
  const { told, transcript } = watched();
  transcript.observe([user('a'), call('x', 'y'), result('x'), user('between'), result('y'), result('orphan'), call('x'), result('x')]);
  const [a, c, x, between, y, orphan, again, againX] = told.entries.map(({ group }) => group);
  assert.deepEqual([a, c, x, between, y, orphan, again, againX], [ALONE, ALONE, 1, ALONE, 1, ALONE, ALONE, 6], 'a reused id belongs to the later call');
});

test('one message can answer several calls, and belongs to the first message that asked one of them', () => {
  const { told, transcript } = watched();
  const results = (...ids: string[]) => ({ role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: id })) });
  transcript.observe([user('a'), call('x'), call('y', 'z'), results('z', 'x', 'y')]);
  assert.deepEqual([told.entries[2], told.entries[3]].map((entry) => [entry?.group, entry?.calls]), [[ALONE, 2], [1, 3]]);
});

test('after an edit a result still finds its call in what is left', () => {
  const { told, transcript } = watched();
  transcript.observe([call('x'), user('old')]);
  transcript.observe([call('x'), result('x')]);
  assert.equal(told.entries[1]?.group, 0);
});

test('whatever histories follow each other, the index ends as if only the last had been read', () => {
  const message = fc.oneof(fc.constantFrom('a', 'b', 'c').map(user), fc.constantFrom('x', 'y').map((id) => call(id)), fc.constantFrom('x', 'y').map(result));
  fc.assert(
    fc.property(fc.array(fc.array(message, { maxLength: 8 }), { minLength: 1, maxLength: 5 }), (histories) => {
      const kept = watched();
      for (const history of histories) kept.transcript.observe(history);
      const fresh = watched();
      fresh.transcript.observe(histories.at(-1) ?? []);
      assert.deepEqual(kept.told.entries, fresh.told.entries);
    }),
  );
});


test('behind a summary entries keep the places they have in the whole conversation', () => {
  const { told, transcript } = watched();
  const head = { role: 'system', content: 'be brief' };
  const tail = [user('a'), call('x'), result('x'), user('b')];
  transcript.observe([head, ...tail], 'm9');
  assert.deepEqual([transcript.length, told.entries.length, told.entries[12]?.group], [14, 14, 11], 'a result is bound to its call');
  assert.deepEqual(transcript.slice(10, 12), tail.slice(0, 2));
  assert.deepEqual([transcript.slice(0, 1), transcript.text(13)], [[head], 'b']);
  transcript.observe([head, ...tail.slice(0, 3), user('B'), user('c')], 'm9');
  assert.deepEqual([told.entries.length, told.pushed, transcript.length], [15, 6, 15], 'an edit cuts back to its place');
  assert.equal(transcript.id(14).startsWith('15-'), true);
  transcript.observe([head, user('c'), user('d')], transcript.id(13));
  assert.deepEqual([transcript.length, told.pushed], [16, 7], 'and any message that was shown can be gone on from');
});

test('a result whose call a summary covers is bound to what stands for it', () => {
  const { told, transcript } = watched();
  transcript.observe([{ role: 'system', content: 'be brief' }, user('a'), result('gone')], 'm9');
  assert.equal(told.entries[11]?.group, 9);
});

test('the whole conversation takes the place of one that went on behind a summary', () => {
  const { told, transcript } = watched();
  transcript.observe([{ role: 'system', content: 'be brief' }, user('a')], 'm9');
  transcript.observe([user('first'), user('second'), user('a')]);
  assert.deepEqual([told.entries.length, transcript.length], [3, 3]);
});
