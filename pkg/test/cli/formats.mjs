// Small recordings in the shapes of the further formats, made up here. Text is filler; numbers are chosen by each test.
import { at } from './fixtures.mjs';

const epoch = (seconds) => Date.parse(at(seconds));

/** Codex rollout records. */
export const codex = {
  meta: () => ({ timestamp: at(0), type: 'session_meta', payload: { id: 'c-1', cwd: '/home/someone', base_instructions: { text: 'be brief' } } }),
  started: (window) => ({ timestamp: at(0), type: 'event_msg', payload: { type: 'task_started', model_context_window: window } }),
  context: () => ({ timestamp: at(0), type: 'turn_context', payload: { model: 'gpt-test' } }),
  item: (seconds, payload) => ({ timestamp: at(seconds), type: 'response_item', payload }),
  user: (seconds, text) => codex.item(seconds, { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
  say: (seconds, text) => codex.item(seconds, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }),
  think: (seconds) => codex.item(seconds, { type: 'reasoning', summary: [], encrypted_content: 'A'.repeat(900) }),
  call: (seconds, call_id) => codex.item(seconds, { type: 'function_call', name: 'shell', arguments: '{}', call_id }),
  result: (seconds, call_id, output) => codex.item(seconds, { type: 'function_call_output', call_id, output }),
  usage: (seconds, input, total) => ({
    timestamp: at(seconds), type: 'event_msg',
    payload: { type: 'token_count', info: { total_token_usage: { input_tokens: total, total_tokens: total }, last_token_usage: { input_tokens: input, cached_input_tokens: input - 1, output_tokens: 7 }, model_context_window: 64_000 } },
  }),
  compacted: (seconds, texts) => ({
    timestamp: at(seconds), type: 'compacted',
    payload: { message: '', replacement_history: texts.map((text) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })) },
  }),
};

/** Kimi CLI wire records. */
export const kimi = {
  meta: () => ({ type: 'metadata', protocol_version: '1.4', created_at: epoch(0) }),
  message: (seconds, text, kind = 'user') => ({ type: 'context.append_message', message: { role: 'user', content: [{ type: 'text', text }], toolCalls: [], origin: { kind } }, time: epoch(seconds) }),
  request: (seconds, kind = 'loop') => ({ type: 'llm.request', kind, model: 'kimi-test', time: epoch(seconds) }),
  event: (seconds, event) => ({ type: 'context.append_loop_event', event, time: epoch(seconds) }),
  say: (seconds, text) => kimi.event(seconds, { type: 'content.part', part: { type: 'text', text } }),
  call: (seconds, toolCallId) => kimi.event(seconds, { type: 'tool.call', toolCallId, name: 'Bash', args: { command: 'ls' } }),
  result: (seconds, toolCallId, output) => kimi.event(seconds, { type: 'tool.result', toolCallId, result: { output } }),
  end: (seconds, prompt) => kimi.event(seconds, { type: 'step.end', usage: split(prompt), finishReason: 'end_turn' }),
  usage: (seconds, prompt, usageScope = 'turn') => ({ type: 'usage.record', model: 'kimi-test', usage: split(prompt), usageScope, time: epoch(seconds) }),
  begin: (seconds) => ({ type: 'full_compaction.begin', source: 'manual', time: epoch(seconds) }),
  compaction: (seconds, contextSummary) => ({ type: 'context.apply_compaction', summary: 's', contextSummary, compactedCount: 2, tokensBefore: 90, tokensAfter: 10, time: epoch(seconds) }),
};

function split(prompt) {
  return { inputOther: prompt - 30, output: 9, inputCacheRead: 20, inputCacheCreation: 10 };
}

/** A gemini-cli chat of these messages. */
export const geminiChat = (messages) => ({ sessionId: 'g-1', projectHash: 'abc', startTime: at(0), lastUpdated: at(9), messages });
export const geminiCli = {
  user: (seconds, content) => ({ id: 'u', timestamp: at(seconds), type: 'user', content }),
  info: (seconds) => ({ id: 'i', timestamp: at(seconds), type: 'info', content: 'an update' }),
  answer: (seconds, content, tokens, toolCalls = []) => ({ id: 'a', timestamp: at(seconds), type: 'gemini', content, thoughts: [], tokens, toolCalls, model: 'gemini-test' }),
  tool: (id, output) => ({ id, name: 'read_file', args: {}, result: [{ functionResponse: { id, name: 'read_file', response: { output } } }], status: 'success', timestamp: at(1) }),
};

/** One run of OpenHands; `events` are made by `hands`. */
export const handsRun = (events, usages) => ({ instance_id: 'one', history: events, metrics: { accumulated_token_usage: { prompt_tokens: 999_999 }, token_usages: usages } });
export const hands = {
  system: (content) => ({ id: 0, timestamp: at(0), source: 'agent', action: 'system', args: { content, tools: [] } }),
  user: (content) => ({ id: 1, timestamp: at(1), source: 'user', action: 'message', args: { content } }),
  recall: (content) => ({ id: 2, timestamp: at(1), source: 'environment', observation: 'recall', content, extras: { microagent_knowledge: [{ content: 'known' }] } }),
  act: (response, call) => ({ id: 3, timestamp: at(2), source: 'agent', action: 'run', args: { command: 'ls', thought: 'so' }, tool_call_metadata: { function_name: 'bash', tool_call_id: call, model_response: { id: response, model: 'llama-test' } } }),
  saw: (response, call, content) => ({ id: 4, timestamp: at(3), source: 'agent', observation: 'run', content, extras: {}, tool_call_metadata: { tool_call_id: call, model_response: { id: response } } }),
};

/** Requests with their responses, as a recorder of HTTP keeps them. */
export const cassette = (...pairs) => JSON.stringify({ interactions: pairs.map(([body, answer]) => ({ request: { method: 'POST', body }, response: { status: 200, body: answer } })) });

export const claudeAnswer = (content, usage) => ({ id: 'msg', type: 'message', role: 'assistant', model: 'claude-test-1', content, stop_reason: 'end_turn', usage });
export const response = (id, output, input_tokens, over = {}) => ({ id, object: 'response', model: 'gpt-test', output, usage: { input_tokens, input_tokens_details: { cached_tokens: 1 }, output_tokens: 5, total_tokens: input_tokens + 5 }, ...over });
export const outputText = (text) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
export const geminiAnswer = (parts, usageMetadata) => ({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }], modelVersion: 'gemini-test', usageMetadata });
