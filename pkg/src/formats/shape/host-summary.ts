// Summaries that a host or its tools left in the history, known by how they begin.

/** Whether `text` is our own summary (the crate's `view::wrap` closes with this tag), begins like a known tool's, or with the host's own `marker`. */
export function isHostSummary(text: string, marker: string | undefined): boolean {
  if (text.endsWith('</cg-summary>')) return text.includes('<cg-summary>');
  if (marker !== undefined && text.startsWith(marker)) return true;
  return KNOWN.some((opening) => text.startsWith(opening));
}

const KNOWN = [
  'This session is being continued from a previous conversation', // Claude Code
  'Here is a summary of the conversation to date', // LangChain
  'Another language model started to solve this problem and produced a summary', // Codex
  'The conversation history before this point was compacted into the following summary', // pi
];
