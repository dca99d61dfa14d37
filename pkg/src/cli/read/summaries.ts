// Summaries that a host left in its own history, by the words with which the hosts that are known begin them.

/** Whether a message begins as a summary of what came before it does. */
export function isSummary(texts: readonly string[]): boolean {
  const text = texts.find((one) => one !== '');
  if (text === undefined) return false;
  const start = text.slice(0, LOOKED_AT).trimStart();
  return OPENINGS.some((opening) => start.startsWith(opening)) || (text.endsWith('</cg-summary>') && text.includes('<cg-summary>'));
}

const OPENINGS = [
  // Claude Code
  'This session is being continued from a previous conversation',
  // Codex
  'Another language model started to solve this problem and produced a summary',
  // LangChain
  'Here is a summary of the conversation to date',
  // pi
  'The conversation history before this point was compacted into the following summary',
  // Kimi CLI
  'The conversation so far has been compacted',
  // gemini-cli
  '<state_snapshot>',
  // OpenHands
  '<CONVERSATION SUMMARY>',
  // hermes
  '[CONTEXT COMPACTION',
  '[CONTEXT SUMMARY]',
];
/** An opening stands in front, behind a few blanks at most. */
const LOOKED_AT = 200;
