// The public surface of compaction-governor/formats, written by hand; the build copies it to dist/formats.d.ts.
// Each constant is a format to open a session with. The message types are structural: only what is read is named, and
// the types of the client libraries fit them.

import type { ChatMessage, Format } from '../surface.js';

/** OpenAI chat messages and those of compatible servers. What a session reads unless told otherwise. */
export const openaiChat: Format<ChatMessage>;

/** Items of the OpenAI Responses API, and those of OpenAI's agents in JavaScript. Reasoning stays with what it led to; encrypted compactions are kept as they are. */
export const openaiResponses: Format<ResponsesItem>;
export interface ResponsesItem {
  type?: string | null;
  id?: string | null;
  role?: string;
  content?: unknown;
  call_id?: string | null;
  name?: string;
  arguments?: unknown;
  input?: unknown;
  action?: unknown;
  output?: unknown;
  status?: unknown;
  summary?: unknown;
  encrypted_content?: string | null;
}

/** Messages of the Anthropic API. The top-level system prompt counts as overhead; thinking blocks are never changed. */
export const anthropic: Format<AnthropicMessage>;
export interface AnthropicMessage { role: 'user' | 'assistant' | 'system'; content: unknown }

/** Contents of the Gemini API. The system instruction counts as overhead; calls and results need no ids. */
export const gemini: Format<GeminiContent>;
export interface GeminiContent { role?: string; parts?: unknown[] }
