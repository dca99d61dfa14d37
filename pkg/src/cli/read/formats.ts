// Every format that is read, by its structure and never by a file's name. The first that recognises a value has it.

import { type Fields, isFields, list } from '../json.js';
import type { TraceReader } from '../trace.js';
import { MessagesReader } from './messages.js';
import { AiderReader, isAider } from './sessions/aider.js';
import { ClaudeCodeReader, isClaudeCode } from './sessions/claude-code.js';
import { CodexReader, isCodex } from './sessions/codex.js';
import { GeminiCliReader, isGeminiCli } from './sessions/gemini-cli.js';
import { isKimi, KimiReader } from './sessions/kimi.js';
import { isOpenHands, OpenHandsReader } from './sessions/openhands.js';
import { isPi, PiReader } from './sessions/pi.js';
import { isSweAgent, SweAgentReader } from './sessions/swe-agent.js';
import { holdsMessages, type Shape } from './shape.js';
import { anthropic } from './shapes/anthropic.js';
import { gemini } from './shapes/gemini.js';
import { langchain } from './shapes/langchain.js';
import { modelMessages } from './shapes/model-messages.js';
import { openAiChat } from './shapes/openai-chat.js';
import { openAiResponses } from './shapes/openai-responses.js';
import { shareGpt } from './shapes/sharegpt.js';
import { uiMessages } from './shapes/ui-messages.js';

export interface Kind {
  format: Format;
  /** `lines`: each line is a record. `either`: the whole file may be one as well. `text`: lines, and no JSON. */
  kept: 'lines' | 'either' | 'text';
  /** A record, a whole document or, for `text`, a line. */
  recognises(value: unknown): boolean;
  reader(): TraceReader;
}

export type Format =
  | 'openai_chat' | 'openai_responses' | 'anthropic' | 'gemini' | 'ui_messages' | 'model_messages' | 'langchain' | 'sharegpt'
  | 'claude_code' | 'codex' | 'pi' | 'kimi' | 'gemini_cli' | 'openhands' | 'swe_agent' | 'aider';

/** The formats by the names that people know them by. */
export const FORMAT_TITLES: Readonly<Record<Format, string>> = {
  openai_chat: 'OpenAI chat messages',
  openai_responses: 'OpenAI Responses items',
  anthropic: 'Anthropic messages',
  gemini: 'Gemini contents',
  ui_messages: 'AI SDK and TanStack UIMessages',
  model_messages: 'AI SDK ModelMessages',
  langchain: 'LangChain messages',
  sharegpt: 'ShareGPT-like JSON',
  claude_code: 'Claude Code JSONL',
  codex: 'Codex rollout JSONL',
  pi: 'pi session JSONL',
  kimi: 'Kimi CLI wire JSONL',
  gemini_cli: 'gemini-cli chat JSON',
  openhands: 'OpenHands output JSONL',
  swe_agent: 'SWE-agent .traj',
  aider: 'aider chat history',
};

export function kindOf(value: unknown): Kind | undefined {
  return likeliest(value, list(value));
}

/**
 * The kind of the first of these lines. Several formats share the form of a plain message, so that a line or a list of such is all of them:
 * the one that knows the most of the rest has it, of equals the first.
 */
export function kindOfLines([first, ...rest]: readonly unknown[]): Kind | undefined {
  return likeliest(first, rest);
}

function likeliest(value: unknown, others: readonly unknown[]): Kind | undefined {
  const able = KINDS.filter((kind) => kind.kept !== 'text' && kind.recognises(value));
  if (able.length < 2) return able[0];
  const known = able.map((kind) => others.reduce((sum: number, one) => sum + Number(kind.recognises(one)), 0));
  return able[known.indexOf(Math.max(...known))];
}

/** Whether a line alone does not say which it is. */
export function isShared(value: unknown): boolean {
  return KINDS.filter((kind) => kind.kept !== 'text' && kind.recognises(value)).length > 1;
}

/** The format that a line of text can only come from. */
export function kindOfText(line: string): Kind | undefined {
  return KINDS.find((kind) => kind.kept === 'text' && kind.recognises(line));
}

function record(format: Format, kept: Kind['kept'], recognises: (value: Fields) => boolean, reader: () => TraceReader): Kind {
  return { format, kept, recognises: (value) => isFields(value) && recognises(value), reader };
}

function messages(format: Format, shape: Shape): Kind {
  return { format, kept: 'either', recognises: (value) => holdsMessages(shape, value), reader: () => new MessagesReader(shape) };
}

export const KINDS: readonly Kind[] = [
  record('claude_code', 'lines', isClaudeCode, () => new ClaudeCodeReader()),
  record('codex', 'lines', isCodex, () => new CodexReader()),
  record('pi', 'lines', isPi, () => new PiReader()),
  record('kimi', 'lines', isKimi, () => new KimiReader()),
  record('openhands', 'lines', isOpenHands, () => new OpenHandsReader()),
  record('gemini_cli', 'either', isGeminiCli, () => new GeminiCliReader()),
  record('swe_agent', 'either', isSweAgent, () => new SweAgentReader()),
  messages('openai_chat', openAiChat),
  messages('openai_responses', openAiResponses),
  messages('anthropic', anthropic),
  messages('gemini', gemini),
  messages('ui_messages', uiMessages),
  messages('model_messages', modelMessages),
  messages('langchain', langchain),
  messages('sharegpt', shareGpt),
  { format: 'aider', kept: 'text', recognises: (line) => typeof line === 'string' && isAider(line), reader: () => new AiderReader() },
];
