// Which window a recording is held against, and where that figure comes from.

import type { WindowSource } from './events.js';

export interface Window {
  tokens: number;
  source: WindowSource;
}

export function windowFor(about: { option: number | undefined; recorded: number | undefined; format: string; model: string | undefined }): Window {
  if (about.option !== undefined) return { tokens: about.option, source: 'option' };
  if (about.recorded !== undefined) return { tokens: about.recorded, source: 'recording' };
  if (/\[1m\]/i.test(about.model ?? '')) return { tokens: 1_000_000, source: 'model' };
  if (/claude/i.test(about.model ?? '')) return { tokens: CLAUDE_WINDOW, source: 'model' };
  // Claude Code runs Claude under whatever name a gateway gives it.
  if (about.format === 'claude_code') return { tokens: CLAUDE_WINDOW, source: 'assumed' };
  return { tokens: COMMON_WINDOW, source: 'assumed' };
}

const CLAUDE_WINDOW = 200_000;
/** What most hosted chat models offered at least when the recordings of this kind were made. */
const COMMON_WINDOW = 128_000;
