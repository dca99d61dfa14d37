import type { ChatMessage } from 'compaction-governor';

/** UTF-8 bytes by 3.5. A real model has a tokenizer; the scripted one counts like this. */
export function rough(text: string): number {
  return Math.ceil(encoder.encode(text).length / 3.5);
}

/** What a message costs in a prompt: its text, and name and arguments of the calls it makes. */
export function messageTokens(message: ChatMessage): number {
  return rough(textOf(message) + callsOf(message).map(({ function: { name, arguments: input } }) => name + input).join(''));
}

/** What all messages of a prompt cost together. */
export function promptTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

/** The plain text of a message; the script writes no other kind. */
export function textOf(message: ChatMessage): string {
  return typeof message.content === 'string' ? message.content : '';
}

/** A tool call as the script writes it. */
export interface Call {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** The calls that a message makes. The script is typed, so nothing else can stand there. */
function callsOf(message: ChatMessage): readonly Call[] {
  return Array.isArray(message.tool_calls) ? message.tool_calls : [];
}

const encoder = new TextEncoder();
