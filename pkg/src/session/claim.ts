// Claiming under the session's lock: who does not get it goes on with what there is, and pays nothing.

import type { ClaimKind, Core, PlanDto } from '../boundary/glue.js';
import type { Decision } from '../surface.js';
import { Others, type SessionLock, type Turn } from './locks.js';

/** As much of an engine as a claim needs. */
export interface Claimant {
  readonly core: Pick<Core, 'claim'>;
  readonly lock: Pick<SessionLock, 'stuck' | 'steal'>;
  run<T>(operation: () => Promise<T>): Promise<T>;
  turn(): Promise<Turn>;
}

export type Claimed = { readonly claimed: PlanDto; readonly turn: Turn } | { readonly refused: Decision; readonly prunedTokens?: number };

/**
 * A claim of `kind`; `undefined` where none is due by `decision`. That may be because another tab is at work: then it is looked into,
 * unless this session has an attempt of its own `going`.
 */
export async function claim(engine: Claimant, kind: ClaimKind | undefined, decision: Decision, going: boolean): Promise<Claimed> {
  if (kind === undefined && (going || !inProgress(decision))) return { refused: decision };
  const turn = await engine.turn();
  // What memory says of the other tab stands, unless nobody is at work there.
  if (kind === undefined && turn.others !== Others.idle) return { refused: decision };
  const byItself = kind === undefined || kind === 'auto';
  // Where nobody can say whether another tab is at work, nothing starts by itself.
  const others = turn.failure && byItself ? Others.working : turn.others;
  const claimed = await claimWith(engine, kind ?? 'auto', turn, others);
  return isStuck(engine, claimed, turn) ? claimWith(engine, kind ?? 'auto', await engine.lock.steal()) : claimed;
}

async function claimWith(engine: Claimant, kind: ClaimKind, turn: Turn, others = turn.others): Promise<Claimed> {
  try {
    const claimed = await engine.run(() => engine.core.claim(kind, Date.now(), others));
    if (!('refused' in claimed)) return { claimed, turn };
    turn.release();
    return claimed;
  } catch (error) {
    turn.release();
    throw error;
  }
}

/** The lock is held, for longer than an attempt lasts, and the store shows no attempt that would hold it. */
function isStuck({ lock }: Claimant, claimed: Claimed, turn: Turn): boolean {
  return turn.others === Others.working && lock.stuck && 'refused' in claimed && inProgress(claimed.refused) && claimed.refused.retryAt === undefined;
}

function inProgress(decision: Decision): decision is Decision & { readonly action: 'wait'; readonly retryAt?: number } {
  return decision.action === 'wait' && decision.reason === 'in_progress';
}
