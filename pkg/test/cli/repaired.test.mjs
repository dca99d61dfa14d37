// Damaged conversations in every format that can be written back, mended by the real core: the copy needs nothing more.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { chat, claude, filler, lines, pi, say, use, withFile } from './fixtures.mjs';
import { codex, outputText } from './formats.mjs';
import { tool } from './tool.mjs';

const OPENING = 'Here is a summary of the conversation to date: ';
const PICTURE = 'QUJD'.repeat(1_000);
const summary = (turn) => `${OPENING}turn ${turn} touched src/part-${turn}.rs ${filler(200)}`;

/** Repairs `content`, and examines the copy; answers with both reports and the copy. */
async function repaired(content, ...args) {
  return await withFile(content, async (path) => {
    const out = `${path}.repaired`;
    const first = await tool('doctor', path, '--json', '--repair', out, ...args);
    assert.equal(first.err, '');
    const second = await tool('doctor', out, '--json', '--dry-run', ...args);
    assert.equal(second.err, '');
    return { before: JSON.parse(first.out), after: JSON.parse(second.out), copy: readFileSync(out, 'utf8') };
  });
}

const ui = (role, ...parts) => ({ id: '', role, parts });
const text = (said) => ({ type: 'text', text: said });
const c = claude();
const DAMAGED = {
  openai_chat: JSON.stringify([
    chat.system('s'), chat.system(summary(1)), { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } }] }, chat.call('lost'), chat.user('two'), chat.result('stray', 'r'),
    chat.system(summary(2)), chat.answer('a'), chat.user('three'), chat.answer('b'), chat.user('four'),
  ]),
  anthropic: JSON.stringify([
    chat.user(summary(1)), { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } }] }, { role: 'assistant', content: [use('lost')] }, chat.user('two'),
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'stray', content: 'r' }] }, chat.user(summary(2)), chat.answer('a'), chat.user('three'), chat.answer('b'), chat.user('four'),
  ]),
  openai_responses: JSON.stringify([
    { role: 'system', content: summary(1) }, { role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${PICTURE}` }] }, { type: 'function_call', call_id: 'lost', name: 'f', arguments: '{}' }, { role: 'user', content: 'two' },
    { type: 'function_call_output', call_id: 'stray', output: 'r' }, { role: 'system', content: summary(2) }, outputText('a'), { role: 'user', content: 'three' }, outputText('b'), { role: 'user', content: 'four' },
  ]),
  langchain: JSON.stringify([
    { type: 'system', content: summary(1) }, { type: 'human', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } }] }, { type: 'ai', content: '', tool_calls: [{ id: 'lost', name: 'f', args: {} }] }, { type: 'human', content: 'two' },
    { type: 'tool', content: 'r', tool_call_id: 'stray' }, { type: 'system', content: summary(2) }, { type: 'ai', content: 'a' }, { type: 'human', content: 'three' }, { type: 'ai', content: 'b' }, { type: 'human', content: 'four' },
  ]),
  gemini: JSON.stringify([
    { role: 'user', parts: [{ text: summary(1) }] }, { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: PICTURE } }] }, { role: 'model', parts: [{ functionCall: { name: 'lost', args: {} } }] }, { role: 'user', parts: [{ text: 'two' }] },
    { role: 'user', parts: [{ functionResponse: { name: 'stray', response: {} } }] }, { role: 'user', parts: [{ text: summary(2) }] }, { role: 'model', parts: [{ text: 'a' }] }, { role: 'user', parts: [{ text: 'three' }] }, { role: 'model', parts: [{ text: 'b' }] }, { role: 'user', parts: [{ text: 'four' }] },
  ]),
  model_messages: JSON.stringify([
    chat.system('s'), chat.user(summary(1)), { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: PICTURE }] }, { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'lost', toolName: 'f', input: {} }] }, chat.user('two'),
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'kept', toolName: 'f', input: {} }] }, { role: 'tool', content: ['kept', 'stray'].map((toolCallId) => ({ type: 'tool-result', toolCallId, toolName: 'f', output: { type: 'text', value: 'r' } })) }, chat.user(summary(2)), chat.answer('a'), chat.user('three'), chat.answer('b'), chat.user('four'),
  ]),
  ui_messages: JSON.stringify([
    ui('user', text(summary(1))), ui('user', { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${PICTURE}` }), ui('assistant', { type: 'tool-read', toolCallId: 'lost', state: 'input-available', input: {} }), ui('user', text('two')),
    ui('user', text(summary(2))), ui('assistant', text('a')), ui('user', text('three')), ui('assistant', text('b')), ui('user', text('four')),
  ]),
  sharegpt: JSON.stringify({ conversations: [
    { from: 'observation', value: 'stray' }, { from: 'human', value: summary(1) }, { from: 'function_call', value: '{"name":"kept"}' }, { from: 'observation', value: 'r' },
    { from: 'function_call', value: '{"name":"lost"}' }, { from: 'human', value: summary(2) }, { from: 'gpt', value: 'a' }, { from: 'human', value: 'three' }, { from: 'gpt', value: 'b' }, { from: 'human', value: 'four' },
  ] }),
  claude_code: lines([
    c.user(0, summary(1)), c.user(1, [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } }]), c.answer(2, 'm1', use('lost'), 900, 1), c.user(3, 'two'), c.result(4, 'stray', 'r'),
    c.user(5, summary(2)), c.answer(6, 'm2', say('a'), 950, 1), c.user(7, 'three'), c.answer(8, 'm3', say('b'), 960, 1), c.user(9, 'four'),
  ]),
  pi: lines([
    pi.session(), pi.user(0, summary(1)), pi.user(1, 'look'), { type: 'message', timestamp: '2026-03-01T10:00:01Z', message: { role: 'user', content: [{ type: 'image', data: PICTURE, mimeType: 'image/png' }] } }, pi.answer(2, [pi.call('lost')], 900, 9),
    pi.user(3, 'two'), pi.result(4, 'stray', 'r'), pi.user(5, summary(2)), pi.answer(6, [say('a')], 950, 9), pi.user(7, 'three'), pi.answer(8, [say('b')], 960, 9), pi.user(9, 'four'),
  ]),
  codex: lines([
    codex.meta(), codex.user(0, summary(1)), codex.item(1, { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${PICTURE}` }] }), codex.call(2, 'lost'), codex.usage(2, 900, 900), codex.user(3, 'two'), codex.result(4, 'stray', 'r'),
    codex.user(5, summary(2)), codex.say(6, 'a'), codex.usage(6, 950, 1_850), codex.user(7, 'three'), codex.say(8, 'b'), codex.usage(8, 960, 2_810), codex.user(9, 'four'),
  ]),
};

for (const [format, content] of Object.entries(DAMAGED)) {
  test(`${format}_copy_has_one_summary_whole_pairs_and_no_old_picture_and_needs_nothing_more`, async () => {
    const { before, after, copy } = await repaired(content);
    assert.equal(before.format, format);
    // A UIMessage holds no result without its call, an export no pictures.
    const absent = { ui_messages: 'drop', sharegpt: 'strip' }[format];
    assert.deepEqual(before.repair.changes.map(({ action }) => action).sort(), ['close', 'collapse', 'drop', 'merge', 'strip'].filter((action) => action !== absent));
    assert.deepEqual([after.format, after.repair.changes], [format, []]);
    const [{ findings, summaries, orphans, media }] = after.conversations;
    assert.deepEqual([findings, summaries.messages, orphans, media.bytes], [[], 1, { calls: [], results: [] }, 0]);
    assert.ok(copy.includes('src/part-2.rs') && copy.includes('src/part-1.rs'), 'what only the older summary named is named still');
  });
}

// seeds: B7
test('139_summaries_of_1_2_million_characters_become_one_without_a_model_and_the_prompt_fits', async () => {
  const summaries = Array.from({ length: 139 }, (_, turn) => chat.system(`${OPENING}${turn} ${'lorem ipsum dolor '.repeat(500)}`.slice(0, 8_970)));
  const { before, after } = await repaired(JSON.stringify([chat.system('s'), ...summaries, chat.user('hi'), chat.answer('a'), chat.user('on')]));
  const [[then], [now]] = [before.conversations, after.conversations];
  assert.ok(then.decision.usedTokens > then.decision.thresholdTokens);
  assert.deepEqual([now.summaries.messages, now.findings, after.healthy], [1, [], true]);
  assert.ok(now.decision.usedTokens < now.decision.thresholdTokens / 4, `${now.decision.usedTokens}`);
});
