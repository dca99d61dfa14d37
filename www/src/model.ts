import type { ChatMessage, SummaryRequest } from 'compaction-governor';
import { gistsIn } from './script.js';
import { messageTokens, promptTokens, textOf } from './tokens.js';

/** The window of the scripted model, in tokens. */
export const WINDOW_TOKENS = 32_768;
/** What the host sends with every prompt besides messages and files: system prompt and tool schemas. */
export const FIXED_TOKENS = 4_000;
/** How long this host waits for a summary before it gives up. */
export const PATIENCE_MS = 3_000;

/** An OpenAI-shaped reply. */
export interface Reply {
  choices: [{ message: ChatMessage; finish_reason: 'stop' | 'tool_calls' }];
  usage: { prompt_tokens: number; completion_tokens: number };
}

/** How the summariser behaves; a visitor picks one. */
export type SummariserMood = 'works' | 'fails' | 'empty' | 'hangs';

/** Answers with the script's next line, and counts the prompt as a provider does: everything in it, files and all. */
export function scriptedReply(view: readonly ChatMessage[], message: ChatMessage, outsideTokens: number): Reply {
  const prompt = FIXED_TOKENS + outsideTokens + promptTokens(view);
  if (prompt > WINDOW_TOKENS) throw tooLong(prompt);
  return reply(message, prompt);
}

/** Writes what it was given down in one line a turn, or misbehaves as told. */
export async function scriptedSummary(request: SummaryRequest<ChatMessage>, mood: SummariserMood): Promise<Reply> {
  if (mood === 'fails') throw Object.assign(new Error('The scripted summariser was told to fail.'), { status: 500 });
  if (mood === 'hangs') return givenUp(request.signal);
  const material = request.messages.map(textOf).join('\n');
  const gists = mood === 'empty' ? [] : gistsIn(material);
  const text = mood === 'empty' ? '' : ['What was done so far:', ...gists.map((gist) => `- ${gist}`)].join('\n');
  return reply({ role: 'assistant', content: text }, promptTokens(request.messages));
}

function reply(message: ChatMessage, prompt: number): Reply {
  return {
    choices: [{ message, finish_reason: message.tool_calls === undefined ? 'stop' : 'tool_calls' }],
    usage: { prompt_tokens: prompt, completion_tokens: messageTokens(message) },
  };
}

function tooLong(prompt: number): Error {
  const text = `This model's maximum context length is ${WINDOW_TOKENS} tokens. However, your messages resulted in ${prompt} tokens.`;
  return Object.assign(new Error(text), { status: 400, code: 'context_length_exceeded' });
}

function givenUp(signal: SummaryRequest<ChatMessage>['signal']): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(new DOMException(`No summary within ${PATIENCE_MS / 1000} s.`, 'TimeoutError'));
    setTimeout(end, PATIENCE_MS);
    signal.addEventListener('abort', end);
  });
}
