// Summaries that a terminal tool left in its own history, beside those that the package's readers know.

import { isHostSummary } from '../../formats/shape/host-summary.js';

/** Whether a message begins as a summary of what came before it does. */
export function isSummary(texts: readonly string[]): boolean {
  const text = texts.find((one) => one !== '');
  if (text === undefined) return false;
  return isHostSummary(text, undefined) || OPENINGS.some((opening) => text.startsWith(opening));
}

const OPENINGS = [
  'The conversation so far has been compacted', // Kimi CLI
  '<state_snapshot>', // gemini-cli
  '<CONVERSATION SUMMARY>', // OpenHands
  '[CONTEXT COMPACTION', // hermes
];
