// What came of a commit, as users read it.

import type { CommitDto } from '../boundary/glue.js';
import { compactionError, isCompactionError } from '../errors.js';
import type { CompactionError, CompactResult } from '../surface.js';

export function outcome(end: CommitDto): CompactResult {
  if (end.status === 'committed') return end;
  if (end.status === 'failed') return failed(compactionError(end.code, end.message, { retryable: true }), end.retryAt);
  return failed(compactionError('superseded', 'another attempt took over from this one; its summary is not used; nothing is to be done'), undefined);
}

/** An attempt that was overtaken is refused by name; that is an outcome. Anything else is a fault of this package. */
export function refusal(error: unknown): CompactResult {
  if (isCompactionError(error)) return failed(error, undefined);
  throw error;
}

export function failed(error: CompactionError, retryAt: number | undefined): CompactResult {
  return retryAt === undefined ? { status: 'failed', error } : { status: 'failed', error, retryAt };
}
