// Every recording, whole, through the built tool. The recordings lie beside the repository,
// or where GOVERNOR_RECORDINGS says.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { events, tool } from './tool.mjs';

const beside = fileURLToPath(new URL('../../../../shared/transcripts/dev/', import.meta.url));
const folder = process.env.GOVERNOR_RECORDINGS === undefined ? beside : join(process.env.GOVERNOR_RECORDINGS, '/');
const skip = existsSync(folder) ? false : `there are no recordings in ${folder}`;

/** Usage records, largest prompt and compactions, as counted from the files themselves in their INDEX. */
const COUNTED = {
  'pi-session-two-compactions.jsonl': ['pi', 342, 184_915, 2],
  'claude-code-auto-compaction.jsonl': ['claude_code', 44, 155_741, 1],
  'claude-code-image-and-compaction.jsonl': ['claude_code', 113, 166_548, 1],
  'claude-code-subagent-sidechain.jsonl': ['claude_code', 6, 57_743, 0],
  'codex-rollout-2026-05.jsonl': ['codex', 66, 131_573, 0],
  'codex-rollout-schema-census.jsonl': ['codex', 2, 16_341, 6],
  'gemini-cli-chat-2026-01.json': ['gemini_cli', 9, 11_451, 0],
  'gemini-cli-chat-info-zero-usage.json': ['gemini_cli', 11, 14_200, 0],
  'kimi-wire-manual-compaction.jsonl': ['kimi', 23, 42_371, 1],
  'anthropic-api-server-compaction.json': ['anthropic', 2, 55_196, 1],
  'anthropic-api-image-in-tool-result.json': ['anthropic', 2, 1_092, 0],
  'openai-responses-compact-endpoint-chain.json': ['openai_responses', 8, 285, 3],
  'openai-responses-context-management.json': ['openai_responses', 4, 847, 1],
  'openai-responses-image-in-tool-output.json': ['openai_responses', 2, 522, 0],
  'gemini-api-image-in-function-response.json': ['gemini', 4, 2_429, 0],
  'openai-chat-image-after-tool-result.json': ['openai_chat', 2, 572, 0],
  'openai-chat-requests-anthropic-tools.jsonl': ['openai_chat', 6, 6_729, 0],
  'openhands-eval-output.jsonl': ['openhands', 56, 33_459, 0],
  'swe-agent-function-calling.traj': ['swe_agent', 0, null, 0],
  'tau-bench-airline-gpt4o.json': ['openai_chat', 0, null, 0],
  'langchain-thread-zh.json': ['langchain', 0, null, 0],
  'aider-chat-history.md': ['aider', 131, 27_543, 0],
  'sharegpt-toolcall-zh.json': ['sharegpt', 0, null, 0],
  'tanstack-uimessages.json': ['ui_messages', 0, null, 0],
  'ai-sdk-uimessages-assembled.json': ['ui_messages', 0, null, 0],
};

/** Formats whose files are examined only. */
const READ_ONLY = new Set(['gemini_cli', 'kimi', 'openhands', 'swe_agent', 'aider']);

for (const [file, [format, usage, peak, compactions]] of Object.entries(COUNTED)) {
  for (const args of [[], ['--window', '32768'], ['--simulate', '--window', '32768'], ['--summarize', 'scripted', '--window', '32768']]) {
    test(`replay_of_${file}_${args.join('_') || 'default'}_counts_what_the_index_counts`, { skip }, async () => {
      const json = await tool('replay', folder + file, '--json', ...args);
      assert.deepEqual([json.code, json.err], [0, '']);
      const all = events(json.out);
      const [first, summary] = [all[0], all.at(-1)];
      assert.deepEqual([first.type, first.format, summary.type], ['recording', format, 'summary']);
      assert.deepEqual([summary.usageRecords, summary.peakPromptTokens, summary.recordedCompactions, summary.unreadable], [usage, peak, compactions, 0]);
      const simulate = args.some((arg) => arg.startsWith('--s'));
      assert.ok(all.every((event) => event.simulated === (simulate ? true : undefined)), 'each line of a simulation says so');
      const people = await tool('replay', folder + file, ...args);
      assert.deepEqual([people.code, people.err], [0, '']);
      for (const out of [json.out, people.out]) assert.doesNotMatch(out, /NaN|Infinity|undefined|\[object/);
      assert.ok(people.out.split('\n').every((line) => line.length <= 80 || line.includes(file)), 'fits 80 columns');
    });
  }
}

for (const file of Object.keys(COUNTED)) {
  test(`doctor_on_${file}_examines_every_conversation_of_it`, { skip }, async () => {
    const json = await tool('doctor', folder + file, '--json');
    assert.equal(json.err, '');
    const { healthy, conversations } = JSON.parse(json.out);
    assert.equal(json.code, healthy ? 0 : 1);
    assert.ok(conversations.length > 0);
    for (const { view, entries, largest, findings } of conversations) {
      assert.equal(view.entries + view.coveredEntries, entries);
      assert.equal(largest.length, Math.min(5, view.entries));
      for (const { sentence } of findings) assert.match(sentence, /\d.*\.$/);
    }
    const people = await tool('doctor', folder + file);
    assert.deepEqual([people.code, people.err], [json.code, '']);
    for (const out of [json.out, people.out]) assert.doesNotMatch(out, /NaN|Infinity|undefined|\[object/);
    assert.ok(people.out.split('\n').every((line) => line.length <= 80 || line.includes(file)), 'fits 80 columns');
  });
}

for (const [file, [format]] of Object.entries(COUNTED)) {
  test(`repaired_copy_of_${file}_needs_nothing_more_and_differs_in_the_changes_alone`, { skip }, async () => {
    const place = await mkdtemp(join(tmpdir(), 'governor-repair-'));
    const out = join(place, file);
    const first = await tool('doctor', folder + file, '--repair', out, '--json');
    if (READ_ONLY.has(format)) {
      assert.equal(first.code, 2);
      assert.match(first.err, /^compaction-governor: Cannot repair .*\.\n$/);
    } else {
      const { changes } = JSON.parse(first.out).repair;
      assert.deepEqual(JSON.parse((await tool('doctor', out, '--dry-run', '--json')).out).repair.changes, []);
      if (changes.length === 0) assert.ok(readFileSync(out).equals(readFileSync(folder + file)));
    }
    await rm(place, { recursive: true });
  });
}

test('every_recording_is_counted_above_and_what_is_no_conversation_is_named_as_such', { skip }, async () => {
  const others = readdirSync(folder).filter((file) => !(file in COUNTED));
  assert.deepEqual(others, ['INDEX.md']);
  const { code, out, err } = await tool('replay', folder + others[0]);
  assert.deepEqual([code, out], [2, '']);
  assert.match(err, /^compaction-governor: Unknown format in .*: neither JSON nor lines of JSON; what is read: /);
});
