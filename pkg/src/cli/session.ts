// The package's public session, as far as a replay that runs whole compactions needs it.

import type { ChatMessage, Session, SummaryRequest } from '../surface.js';

export type { ChatMessage, SummaryRequest };

export interface SessionSettings {
  id: string;
  windowTokens: number;
  summarize: (request: SummaryRequest) => Promise<unknown>;
}

/** Opens a session in a store of its own, in memory. */
export type NewSession = (settings: SessionSettings) => Session;
