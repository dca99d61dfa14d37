// What a session shows whose instance is gone until it begins anew: nothing is decided, and the conversation goes on.

import type { Decision, Snapshot } from '../surface.js';

export const STOPPED: Decision = Object.freeze({
  action: 'hold',
  reason: 'disabled',
  usedTokens: null,
  thresholdTokens: null,
  targetTokens: null,
  windowTokens: null,
  floorTokens: 0,
  confidence: 'unknown',
  sentence: 'A fault inside the governor stopped this session: the next call goes on from what is stored; behind a second fault within a minute conversations are sent as they are until then.',
});

/** `shown`: the last snapshot that was drawn, if any. */
export function lastSnapshot(shown: Snapshot | undefined): Snapshot {
  const { compactions = 0, summaryTokensSpent = 0 } = shown ?? {};
  const { usedTokens, thresholdTokens, targetTokens, windowTokens, floorTokens, confidence } = STOPPED;
  return Object.freeze({ usedTokens, thresholdTokens, targetTokens, windowTokens, floorTokens, confidence, phase: 'blocked', durability: 'degraded', decision: STOPPED, compactions, summaryTokensSpent });
}
