// Small recordings in the shapes of the three formats, made up here. Text is filler; numbers are chosen by each test.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const START = Date.parse('2026-03-01T10:00:00.000Z');

/** Rough tokens → a text that counts as exactly that many (3.5 bytes each). */
export const filler = (tokens) => 'lorem ipsum dolor sit amet '.repeat(Math.ceil((tokens * 3.5) / 27)).slice(0, Math.floor(tokens * 3.5));
export const at = (seconds) => new Date(START + seconds * 1_000).toISOString();
export const lines = (records) => records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record))).join('\n') + '\n';

/** Claude Code lines, in order; each builder answers with one line. */
export function claude() {
  let count = 0;
  const common = (seconds, over) => ({ parentUuid: count === 0 ? null : `u${count}`, uuid: `u${(count += 1)}`, isSidechain: false, sessionId: 's-1', version: '2.1.0', timestamp: at(seconds), ...over });
  return {
    user: (seconds, content, over = {}) => common(seconds, { type: 'user', message: { role: 'user', content }, ...over }),
    result: (seconds, id, content, over = {}) => common(seconds, { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] }, ...over }),
    answer: (seconds, id, part, prompt, output, over = {}) =>
      common(seconds, {
        type: 'assistant',
        message: {
          id, type: 'message', role: 'assistant', model: 'claude-test-1', content: [part],
          usage: { input_tokens: 5, cache_creation_input_tokens: 20, cache_read_input_tokens: prompt - 25, output_tokens: output },
        },
        ...over,
      }),
    boundary: (seconds, preTokens, trigger = 'auto') => common(seconds, { type: 'system', subtype: 'compact_boundary', content: 'compacted', compactMetadata: { trigger, preTokens } }),
    summary: (seconds, content) => common(seconds, { type: 'user', isCompactSummary: true, isVisibleInTranscriptOnly: true, message: { role: 'user', content } }),
  };
}

export const say = (text) => ({ type: 'text', text });
export const use = (id, input = {}) => ({ type: 'tool_use', id, name: 'read', input });

/** pi records. `prompt` is split over input, cacheRead and cacheWrite. */
export const pi = {
  session: (over = {}) => ({ type: 'session', id: 'p-1', timestamp: at(9_999), cwd: '/home/someone', provider: 'anthropic', modelId: 'claude-test-1', ...over }),
  user: (seconds, content, over = {}) => ({ type: 'message', timestamp: at(seconds), message: { role: 'user', content: [say(content)] }, ...over }),
  answer: (seconds, content, prompt, output, over = {}) => ({
    type: 'message', timestamp: at(seconds),
    message: {
      role: 'assistant', content, model: 'claude-test-1', stopReason: 'stop',
      usage: prompt === 0 ? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } : { input: 1, output, cacheRead: prompt - 11, cacheWrite: 10 },
    },
    ...over,
  }),
  call: (id) => ({ type: 'toolCall', id, name: 'read', arguments: { path: 'a' } }),
  result: (seconds, id, content, over = {}) => ({ type: 'message', timestamp: at(seconds), message: { role: 'toolResult', toolCallId: id, content: [say(content)] }, ...over }),
  compaction: (seconds, summary, over = {}) => ({ type: 'compaction', timestamp: at(seconds), summary, ...over }),
};

/** OpenAI chat messages. */
export const chat = {
  system: (content) => ({ role: 'system', content }),
  user: (content) => ({ role: 'user', content }),
  answer: (content) => ({ role: 'assistant', content }),
  call: (id) => ({ role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }] }),
  result: (id, content) => ({ role: 'tool', tool_call_id: id, content }),
  exchange: (messages, message, prompt, output, over = {}) => ({
    messages, response: { created: START / 1_000, model: 'gpt-test', choices: [{ message }], usage: { prompt_tokens: prompt, completion_tokens: output } }, ...over,
  }),
};

/** Writes `content` to a file that is gone after `use`. */
export async function withFile(content, use, name = 'recording.data') {
  const folder = await mkdtemp(join(tmpdir(), 'governor-replay-'));
  const path = join(folder, name);
  try {
    await writeFile(path, content);
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
