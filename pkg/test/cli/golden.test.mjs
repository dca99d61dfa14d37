// What a person and a program are shown for short recordings, word for word, by the built tool and the real engine.
// UPDATE_GOLDEN=1 writes the files anew; read the difference before it is committed.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { chat, claude, filler, lines, pi, say, use, withFile } from './fixtures.mjs';
import { tool } from './tool.mjs';

const folder = new URL('golden/', import.meta.url);

/** A conversation that grows over the threshold of its window; the client compacts at 0.9 of it, and that helps. */
function helped() {
  const c = claude();
  const turns = [40_000, 90_000, 165_000].flatMap((prompt, index) => [
    c.user(index * 60, filler(200)), c.answer(index * 60 + 5, `m${index}`, use(`t${index}`), prompt, 300), c.result(index * 60 + 9, `t${index}`, filler(20_000)),
  ]);
  return lines([...turns, c.answer(180, 'm8', say('so'), 185_000, 300), c.boundary(200, 185_300), c.summary(201, filler(2_000)), c.user(210, 'go on'), c.answer(215, 'm9', say('done'), 30_000, 90)]);
}

/** Two compactions in a row after which the prompt is as large as before, and a third that the guard would not have made. */
function useless() {
  const records = [pi.session(), pi.user(0, filler(3_000)), pi.answer(5, [say(filler(2_000))], 165_000, 600)];
  for (const at of [60, 120, 150]) {
    records.push(pi.user(at, filler(400)), pi.compaction(at + 5, filler(900), { firstKeptEntryIndex: records.length, tokensBefore: 166_000 }), pi.answer(at + 20, [say(filler(300))], 164_000, 200));
  }
  return lines(records);
}

/** Whole requests of an agent run in a window of 16,000 tokens, without any compaction of their own. */
function growing() {
  const messages = [chat.system(filler(300)), chat.user(filler(200))];
  const log = [];
  for (let turn = 0; turn < 9; turn += 1) {
    const call = chat.call(`t${turn}`);
    log.push(chat.exchange([...messages], call, 1_000 + turn * 2_000, 40, { context_window: 16_000, timestamp: 1_772_359_200 + turn * 20 }));
    messages.push(call, chat.result(`t${turn}`, filler(1_900)));
  }
  return lines(log);
}

/** Nothing but messages, and a line that cannot be read. */
function plain() {
  return lines([chat.user(filler(50)), chat.answer(filler(20)), '{"role":"user","con', chat.user(filler(10)), chat.answer(filler(5))]);
}

/** Four summaries that were never merged, a call and a result that lost each other, a picture, and a large file; no usage. */
function damaged() {
  const summary = (turn) => chat.system(`Here is a summary of the conversation to date: ${turn} ${filler(900)}`);
  const turns = [1, 2, 3, 4].flatMap((turn) => [summary(turn), chat.user(filler(20)), chat.answer(filler(60))]);
  const picture = { role: 'user', content: [{ type: 'text', text: 'see' }, { type: 'image_url', image_url: { url: `data:image/png;base64,${'QUJD'.repeat(2_000)}` } }] };
  return JSON.stringify([chat.system(filler(200)), ...turns, picture, chat.call('lost'), chat.result('stray', filler(30)), chat.user('go on'), chat.call('t'), chat.result('t', filler(9_000)), chat.answer('done'), chat.user('and now?')]);
}

const CASES = [
  ['helped', helped, []],
  ['useless', useless, []],
  ['useless-json', useless, ['--json']],
  ['growing-simulated', growing, ['--simulate']],
  ['growing-summarized', growing, ['--summarize', 'scripted']],
  ['growing-summarized-json', growing, ['--summarize', 'scripted', '--json']],
  ['growing-simulated-json', growing, ['--simulate', '--json']],
  ['plain', plain, ['--window', '32k']],
].map(([name, recording, args]) => [`replay_of_${name}`, name, ['replay', ...args], recording, 0]);

const EXAMINED = [
  ['damaged', damaged, ['--window', '32k'], 1],
  ['damaged-json', damaged, ['--window', '16k', '--json'], 1],
  ['helped', helped, [], 0],
  ['useless', useless, [], 1],
  ['plain', plain, [], 1],
].map(([name, recording, args, code]) => [`doctor_on_${name}`, `doctor-${name}`, ['doctor', ...args], recording, code]);

for (const [title, name, [command, ...args], recording, expected] of [...CASES, ...EXAMINED]) {
  test(`${title}_prints_what_it_printed_before`, async () => {
    await withFile(recording(), async (path) => {
      const { code, out, err } = await tool(command, path, ...args);
      assert.deepEqual([code, err], [expected, '']);
      const printed = out.replaceAll(path, 'recording');
      const golden = new URL(`${name}.txt`, folder);
      if (process.env.UPDATE_GOLDEN === '1') {
        mkdirSync(folder, { recursive: true });
        writeFileSync(golden, printed);
      }
      assert.equal(printed, readFileSync(golden, 'utf8'));
    });
  });
}

test('tool_says_its_version_and_its_usage_and_refuses_what_it_does_not_know', async () => {
  const version = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
  assert.deepEqual(await tool('--version'), { code: 0, out: `${version}\n`, err: '' });
  assert.equal((await tool('--help')).code, 0);
  assert.equal((await tool('replay', 'x', '--no-such-flag')).code, 2);
});
