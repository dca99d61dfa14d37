import type { ChatMessage } from 'compaction-governor';
import { Random } from './random.js';
import { followUps, lines, type Line } from './script-lines.js';
import type { Call } from './tokens.js';
import { toolOutput } from './tool-output.js';

/** One turn of the conversation, as messages in the order in which they are exchanged. */
export interface Turn {
  /** What the person says. */
  user: ChatMessage;
  /** What the model answers, call by call; every answer but the last asks for a tool. */
  replies: readonly ChatMessage[];
  /** What each tool gives back, one for each answer but the last. */
  results: readonly ChatMessage[];
}

/** How many turns the script has before it plays on with follow-ups. */
export const scriptLength = lines.length;

/** The turn with this number; the same one on every visit. */
export function turnAt(index: number): Turn {
  const line = lines[index];
  if (line !== undefined) return line.target === '' ? pasted(line, index) : withTool(line, index, SCRIPT_RESULT_TOKENS);
  const follow = followUps[(index - lines.length) % followUps.length] ?? followUps[0];
  return withTool(follow, index, FOLLOW_UP_RESULT_TOKENS);
}

/** The turn for something that a visitor typed. */
export function spokenTurn(text: string): Turn {
  const answer = 'Noted. (A scripted model: it counts what it is sent and does not think about it.)';
  return { user: { role: 'user', content: text }, replies: [{ role: 'assistant', content: answer }], results: [] };
}

/** What an honest summary says about a text: one line for each turn found in it, or in an earlier summary of it. */
export function gistsIn(text: string): string[] {
  return [...lines, ...followUps].filter((line) => text.includes(line.user) || text.includes(line.gist)).map((line) => line.gist);
}

function withTool(line: Line, index: number, tokens: number): Turn {
  const id = `call_${index}`;
  const random = new Random(index + 1);
  const call: Call = { id, type: 'function', function: { name: line.tool, arguments: JSON.stringify({ target: line.target }) } };
  const asks: ChatMessage = { role: 'assistant', content: null, tool_calls: [call] };
  const result: ChatMessage = { role: 'tool', tool_call_id: id, content: toolOutput(line.tool, line.target, tokens, random) };
  return { user: { role: 'user', content: line.user }, replies: [asks, { role: 'assistant', content: line.answer }], results: [result] };
}

function pasted(line: Line, index: number): Turn {
  const paste = toolOutput(line.tool, line.target, PASTE_TOKENS, new Random(index + 1));
  const user: ChatMessage = { role: 'user', content: `${line.user}\n\n${paste}` };
  return { user, replies: [{ role: 'assistant', content: line.answer }], results: [] };
}

/** Sized so that the 24th turn, a pasted log, takes the prompt across the threshold of 26,214. */
const SCRIPT_RESULT_TOKENS = 760;
/** A pasted log is part of the fixed part while it is the newest message, so the first pass has to leave much behind. */
const PASTE_TOKENS = 4500;
/** About ten follow-ups fill an empty window up to the threshold. */
const FOLLOW_UP_RESULT_TOKENS = 1800;
