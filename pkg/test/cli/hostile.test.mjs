// Files that nobody wrote by hand: whatever they hold, both commands end with an exit code, and with one line where they
// cannot go on. By the built tool and the real engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chat, claude, lines, pi, use, withFile } from './fixtures.mjs';
import { codex, kimi } from './formats.mjs';
import { tool } from './tool.mjs';

const COMMANDS = [['replay', '--simulate', '--window', '4k'], ['replay', '--summarize', 'scripted', '--window', '4k'], ['doctor', '--window', '4k']];

/** Runs every command on `content`; answers with the exit codes. */
async function survived(content) {
  return await withFile(content, async (path) => {
    const codes = [];
    for (const [command, ...args] of COMMANDS) {
      const { code, out, err } = await tool(command, path, ...args);
      assert.ok([0, 1, 2].includes(code), `${command} ended with ${code}: ${err.slice(0, 400)}`);
      if (code === 2) assert.match(err, /^compaction-governor: [^\n]*\.\n$/);
      else assert.equal(err, '');
      assert.doesNotMatch(out, /NaN|Infinity|undefined|\[object/);
      codes.push(code);
    }
    return codes;
  });
}

const nested = (depth, inner) => `${'{"content":['.repeat(depth)}${inner}${']}'.repeat(depth)}`;

test('fifty_megabytes_in_one_string_are_read_in_every_place_where_text_may_stand', async () => {
  const huge = 'QUJD'.repeat(12_500_000);
  assert.deepEqual(await survived(JSON.stringify([chat.user(huge), chat.answer('a')])), [0, 0, 1]);
  assert.deepEqual(await survived(lines([codex.meta(), codex.user(0, 'u'), codex.call(1, 't'), codex.result(2, 't', huge)])), [0, 0, 1]);
  assert.deepEqual(await survived(`# aider chat started at 2024-08-05 19:33:02\n\n#### go\n\n${huge}\n`), [0, 0, 1]);
});

test('nesting_of_10_000_is_read_or_named_as_unknown', async () => {
  const deep = nested(10_000, '1');
  const call = `{"role":"assistant","content":null,"tool_calls":[{"id":"t","function":{"name":"f","arguments":${deep}}}]}`;
  assert.deepEqual(await survived(deep), [2, 2, 2]);
  for (const whole of [`[${JSON.stringify(chat.user('u'))},${call}]`, lines([chat.user('u'), call]), lines([chat.user('u'), deep])]) await survived(whole);
  await survived(lines([codex.meta(), `{"timestamp":"2026-03-01T10:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":${deep}}}`]));
  await survived(`{"interactions":[{"request":{"body":{"input":[${deep}]}},"response":{"body":{"output":[${deep}]}}}]}`);
});

test('lone_surrogates_and_ids_that_come_twice_are_read', async () => {
  const c = claude();
  await survived('[{"role":"user","content":"\\ud800"},{"role":"assistant","content":"\\udc00x","tool_calls":[{"id":"\\ud83d","function":{"name":"\\ud83d"}}]}]');
  await survived(JSON.stringify([chat.user('u'), chat.call('t'), chat.result('t', 'r'), chat.call('t'), chat.result('t', 'r'), chat.result('t', 'again')]));
  await survived(lines([c.user(0, 'u'), c.answer(1, 'm', use('t'), 900, 1), c.result(2, 't', 'r'), c.result(2, 't', 'r'), c.answer(3, 'm', use('t'), 900, 1)]));
  await survived(lines([pi.session(), pi.user(0, 'u', { id: 'a', parentId: 'a' }), pi.user(1, 'v', { id: 'a', parentId: 'a' })]));
  await survived(lines([kimi.meta(), kimi.request(1), kimi.call(2, 't'), kimi.call(2, 't'), kimi.result(3, 't', 'r'), kimi.result(3, 't', 'r')]));
});

test('arbitrary_json_and_arbitrary_bytes_end_with_an_exit_code', async () => {
  const file = fc.oneof(fc.json(), fc.array(fc.json(), { maxLength: 5 }).map((all) => all.join('\n')), fc.string({ unit: 'binary' }));
  await fc.assert(fc.asyncProperty(file, async (content) => void (await survived(content))), { numRuns: 10 });
});
