// What a stored record says, for whoever looks into a store.

import { decodeRecord as decoded } from './boundary/glue.js';
import { requireStarted } from './boundary/guard.js';
import type { GuardRecord } from './surface.js';

export function decodeRecord(bytes: Uint8Array, sessionId: string): GuardRecord | undefined {
  requireStarted();
  return decoded(bytes, sessionId);
}
