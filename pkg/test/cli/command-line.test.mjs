import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chat, lines, withFile } from './fixtures.mjs';
import { load } from './load.mjs';
import { stubEngine } from './stub-engine.mjs';

const { run } = await load('run.ts');

/** Runs the tool with a scripted engine; answers with what it printed and its exit code. */
async function cli(args, over = {}) {
  const out = [];
  const err = [];
  const world = {
    stdout: { write: (text) => out.push(text), columns: 80 }, stderr: { write: (text) => err.push(text) }, env: {}, version: '1.2.3', clock: () => 0,
    loadEngine: () => () => stubEngine(), loadSessions: () => () => assert.fail('no session is asked for'), ...over,
  };
  return { code: await run(args, world), out: out.join(''), err: err.join('') };
}

const recording = lines([chat.user('u'), chat.answer('a')]);

test('help_and_version_go_to_standard_output_and_exit_0', async () => {
  const help = await cli(['--help']);
  assert.deepEqual([help.code, help.err], [0, '']);
  assert.match(help.out, /^Usage: compaction-governor replay FILE/);
  assert.ok(help.out.split('\n').every((line) => line.length <= 80), 'fits 80 columns');
  assert.equal((await cli(['replay', '-h'])).code, 0);
  assert.deepEqual(await cli(['--version']), { code: 0, out: '1.2.3\n', err: '' });
});

test('wrong_command_line_is_one_sentence_and_exit_2', async () => {
  const cases = [
    [[], 'No command was given'],
    [['reply', 'x'], 'There is no command "reply"'],
    [['replay'], 'replay needs a FILE'],
    [['replay', 'a', 'b'], 'replay reads one FILE, and 2 were given'],
    [['doctor'], 'doctor needs a FILE'],
    [['doctor', 'a', '--simulate'], 'doctor takes no --simulate'],
    [['replay', 'a', '--fast'], "Unknown option '--fast'"],
    [['replay', 'a', '--observe', '--simulate'], '--observe and --simulate exclude each other'],
    [['replay', 'a', '--simulate', '--summarize', 'scripted'], '--simulate and --summarize exclude each other'],
    [['replay', 'a', '--summarize', 'llama'], '--summarize takes "scripted", not "llama"'],
    [['replay', 'a', '--window', '12x'], '--window takes a whole number of tokens from 256 to 100000000, not "12x"'],
    [['replay', 'a', '--window', '0'], '--window takes a whole number of tokens from 256 to 100000000, not "0"'],
  ];
  for (const [args, what] of cases) {
    assert.deepEqual(await cli(args), { code: 2, out: '', err: `compaction-governor: ${what}; see compaction-governor --help.\n` });
  }
});

test('missing_file_folder_and_unknown_format_are_one_sentence_and_exit_2', async () => {
  const missing = await cli(['replay', '/nowhere/at all.jsonl']);
  assert.deepEqual(missing, { code: 2, out: '', err: 'compaction-governor: Cannot read /nowhere/at all.jsonl: there is no such file.\n' });
  await withFile('x', async (path) => {
    const folder = await cli(['replay', path.slice(0, path.lastIndexOf('/'))]);
    assert.deepEqual([folder.code, folder.out], [2, '']);
    assert.match(folder.err, /: it is a folder\.\n$/);
  });
  await withFile('{"type":"diary","pages":1}\n', async (path) => {
    const unknown = await cli(['replay', path, '--json']);
    assert.deepEqual([unknown.code, unknown.out], [2, '']);
    assert.match(unknown.err, /^compaction-governor: Unknown format in .*: objects with the fields type, pages; what is read: OpenAI chat messages, .*Claude Code JSONL, .*pi session JSONL, .*aider chat history\.\n$/);
  });
});

test('window_is_read_as_people_write_it_and_handed_to_the_engine', async () => {
  await withFile(recording, async (path) => {
    for (const [given, tokens] of [['32768', 32_768], ['32,768', 32_768], ['32_768', 32_768], ['64k', 64_000]]) {
      const windows = [];
      const loadEngine = () => (_id, window) => {
        windows.push(window);
        return stubEngine();
      };
      const { code } = await cli(['replay', path, '--window', given], { loadEngine });
      assert.deepEqual([code, windows], [0, [tokens]]);
    }
  });
});

test('engine_failure_is_one_sentence_and_exit_1', async () => {
  const broken = () => Object.assign(stubEngine(), { open: () => Promise.reject(Object.assign(new Error('out of range.'), { code: 'bad_number' })) });
  await withFile(recording, async (path) => {
    const { code, err } = await cli(['replay', path], { loadEngine: () => broken });
    assert.deepEqual([code, err], [1, `compaction-governor: The replay of ${path} stopped: out of range.\n`]);
  });
});

test('doctor_exits_0_for_a_healthy_conversation_1_for_a_finding_and_2_where_it_cannot_go_on', async () => {
  const stray = lines([chat.user('u'), chat.result('nobody', 'r'), chat.answer('a')]);
  for (const [content, code, code2] of [[recording, 0, undefined], [stray, 1, 'orphan_results']]) {
    await withFile(content, async (path) => {
      const { code: exit, out, err } = await cli(['doctor', path, '--json']);
      assert.deepEqual([exit, err], [code, '']);
      const { healthy, conversations } = JSON.parse(out);
      assert.deepEqual([healthy, conversations[0].findings[0]?.code], [code === 0, code2]);
    });
  }
  const broken = () => Object.assign(stubEngine(), { open: () => Promise.reject(Object.assign(new Error('out of range.'), { code: 'bad_number' })) });
  await withFile(recording, async (path) => {
    const { code, out, err } = await cli(['doctor', path], { loadEngine: () => broken });
    assert.deepEqual([code, out, err], [2, '', `compaction-governor: The examination of ${path} stopped: out of range.\n`]);
  });
  assert.equal((await cli(['doctor', '/nowhere'])).code, 2);
});

test('colour_is_used_at_a_terminal_only_and_not_where_no_color_is_set', async () => {
  await withFile(recording, async (path) => {
    const at = async (isTTY, env) => (await cli(['replay', path], { stdout: null, env, ...terminal(isTTY) })).code;
    let printed = '';
    function terminal(isTTY) {
      printed = '';
      return { stdout: { isTTY, columns: 80, write: (text) => (printed += text) } };
    }
    await at(true, {});
    assert.match(printed, /\u001B\[1mReplay/);
    await at(true, { NO_COLOR: '1' });
    assert.doesNotMatch(printed, /\u001B/);
    await at(false, {});
    assert.doesNotMatch(printed, /\u001B/);
  });
});

test('control_characters_from_outside_never_reach_the_terminal', async () => {
  const name = 'evil\u001B[2J.jsonl';
  const { err } = await cli(['replay', name]);
  assert.doesNotMatch(err, /\u001B/);
  const model = lines([{ ...chat.exchange([chat.user('u')], chat.answer('a'), 9, 1), context_window: undefined }]).replace('gpt-test', 'claude\\u001b[31m');
  await withFile(model, async (path) => {
    const { out } = await cli(['replay', path]);
    assert.match(out, /for claude/);
    assert.doesNotMatch(out, /\u001B/);
  });
});

test('progress_bar_shows_on_a_terminal_after_a_while_and_is_taken_away', async () => {
  const long = lines([chat.user('u'), ...Array.from({ length: 50 }, () => chat.answer('a'))]);
  await withFile(long, async (path) => {
    for (const isTTY of [true, false]) {
      let written = '';
      let now = 0;
      const { code } = await cli(['replay', path], { stderr: { isTTY, write: (text) => (written += text) }, clock: () => (now += 100) });
      assert.equal(code, 0);
      if (!isTTY) assert.equal(written, '');
      else assert.match(written, /\r {2}█+░* +\d+ % of 0\.0 MB/);
      assert.ok(written === '' || / +\r$/.test(written), 'the bar is gone at the end');
    }
  });
});
