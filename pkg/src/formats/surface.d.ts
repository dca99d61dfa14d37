// The public surface of compaction-governor/formats, written by hand; the build copies it to dist/formats.d.ts.
// Each constant is a format to open a session with. The message types are structural: only what is read is named, and
// the types of the client libraries fit them.

import type { ChatMessage, Format } from '../surface.js';

/** OpenAI chat messages and those of compatible servers. What a session reads unless told otherwise. */
export const openaiChat: Format<ChatMessage>;

/** Items of the OpenAI Responses API, and those of OpenAI's agents in JavaScript. Reasoning stays with what it led to; encrypted compactions are kept as they are. */
export const openaiResponses: Format<ResponsesItem>;
/** Only what is read; the types of client libraries fit it. */
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

/** UI messages of the AI SDK (`useChat`). Summaries come in the user's name, marked: version 7 refuses system messages among the others. */
export const aiSdkUi: Format<UiMessage>;
/** UI messages of TanStack AI. */
export const tanstackUi: Format<UiMessage>;
/** Model messages of the AI SDK, as `prepareStep` gets them. Summaries come in the user's name, marked. */
export const aiSdkModel: Format<ModelMessage>;
/** LangChain and LangGraph messages: instances and stored forms. Made messages are `{ role, content }`; the summary is marked as LangChain marks its own. */
export const langchain: Format<LangChainMessage>;
/** Messages of Chrome's Prompt API. Summaries come in the user's name, marked: a system message is taken only as the very first. */
export const promptApi: Format<PromptMessage>;

export interface UiMessage { id: string; role: 'system' | 'user' | 'assistant'; parts: unknown[] }
export interface ModelMessage { role: 'system' | 'user' | 'assistant' | 'tool'; content: unknown }
export type LangChainMessage = { content: unknown } | { lc: number; kwargs: object } | { type: string; data: object };
export interface PromptMessage { role: 'system' | 'user' | 'assistant'; content: unknown }
