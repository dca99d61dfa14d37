// Every recording of the three formats, whole, through the built tool. The recordings lie beside the repository.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { events, tool } from './tool.mjs';

const folder = fileURLToPath(new URL('../../../../shared/transcripts/dev/', import.meta.url));
const skip = existsSync(folder) ? false : `there are no recordings in ${folder}`;

/** Usage records, largest prompt and compactions, as counted from the files themselves in their INDEX. */
const COUNTED = {
  'pi-session-two-compactions.jsonl': ['pi', 342, 184_915, 2],
  'claude-code-auto-compaction.jsonl': ['claude_code', 44, 155_741, 1],
  'claude-code-image-and-compaction.jsonl': ['claude_code', 113, 166_548, 1],
  'claude-code-subagent-sidechain.jsonl': ['claude_code', 6, 57_743, 0],
  'tau-bench-airline-gpt4o.json': ['openai_chat', 0, null, 0],
  'openai-chat-image-after-tool-result.json': ['openai_chat', 2, 572, 0],
  'openai-chat-requests-anthropic-tools.jsonl': ['openai_chat', 6, 6_729, 0],
};

for (const [file, [format, usage, peak, compactions]] of Object.entries(COUNTED)) {
  for (const args of [[], ['--simulate'], ['--window', '32768'], ['--simulate', '--window', '32768']]) {
    test(`replay_of_${file}_${args.join('_') || 'default'}_counts_what_the_index_counts`, { skip }, async () => {
      const json = await tool('replay', folder + file, '--json', ...args);
      assert.deepEqual([json.code, json.err], [0, '']);
      const all = events(json.out);
      const [first, summary] = [all[0], all.at(-1)];
      assert.deepEqual([first.type, first.format, summary.type], ['recording', format, 'summary']);
      assert.deepEqual([summary.usageRecords, summary.peakPromptTokens, summary.recordedCompactions, summary.unreadable], [usage, peak, compactions, 0]);
      const simulate = args.includes('--simulate');
      assert.ok(all.every((event) => event.simulated === (simulate ? true : undefined)), 'each line of a simulation says so');
      const people = await tool('replay', folder + file, ...args);
      assert.deepEqual([people.code, people.err], [0, '']);
      for (const out of [json.out, people.out]) assert.doesNotMatch(out, /NaN|Infinity|undefined|\[object/);
      assert.ok(people.out.split('\n').every((line) => line.length <= 80 || line.includes(file)), 'fits 80 columns');
    });
  }
}

test('recordings_of_other_formats_are_named_as_unknown_and_exit_2', { skip }, async () => {
  const others = readdirSync(folder).filter((file) => !(file in COUNTED));
  assert.ok(others.length > 10);
  for (const file of others) {
    const { code, out, err } = await tool('replay', folder + file);
    assert.deepEqual([code, out], [2, ''], file);
    assert.match(err, /^compaction-governor: Unknown format in /);
  }
});
