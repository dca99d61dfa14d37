// The lock of one session, among all tabs and workers of an origin: who holds it is the only one at work. It saves money,
// since nobody pays for a summary that another tab is having written; what is true is decided by the store.

import { isFields } from '../formats/shape/json.js';
import type { Signal } from '../surface.js';
import { Timer } from './timer.js';

/** As much of the Web Locks API as is used here. */
export interface Locks {
  request(name: string, options: LockOptions, granted: (lock: unknown) => unknown): unknown;
}
export interface LockOptions {
  readonly ifAvailable?: true;
  readonly steal?: true;
  readonly signal?: Signal;
}

/** What is known of others. The numbers are the core's. */
export const Others = { unknown: 0, idle: 1, working: 2 } as const;
export type Others = (typeof Others)[keyof typeof Others];

/** What came of asking for the lock. */
export interface Turn {
  /** `idle`: the lock is held here. `working`: by somebody else. `unknown`: there are no locks here. */
  readonly others: Others;
  /** The lock manager is there and failed: somebody may be at work. */
  readonly failure?: { readonly error: unknown };
  /** Twice is once. */
  release(): void;
}

export class SessionLock {
  readonly #name: string | undefined;
  readonly #locks: () => Locks | undefined;
  readonly #without: Others;
  readonly #held = new Set<Turn>();
  /** The lock that was let go of last is on its way back to the browser: until it is there, it would look like somebody else's. */
  #returning: Promise<unknown> = Promise.resolve();
  #waiting: AbortController | undefined;
  /** Since when somebody else has been found to hold it, each time that it was asked for. */
  #busySince: number | undefined;

  /** `scope`: the store and session that it is for; none where no other tab can have them. */
  /** `without`: what is known of others where there are no locks. */
  constructor(scope: string | undefined, locks: () => Locks | undefined = platformLocks, without: Others = Others.unknown) {
    this.#name = scope && `compaction-governor/${scope}`;
    this.#locks = locks;
    this.#without = without;
  }

  /** Asks for the lock, and never waits for its holder. */
  async take(): Promise<Turn> {
    await this.#returning;
    const turn = await this.#ask({ ifAvailable: true });
    this.#busySince = turn.others === Others.working ? (this.#busySince ?? Date.now()) : undefined;
    return turn;
  }

  /** Whether its holder has had it for longer than any attempt lasts: a page that a browser froze, and never thawed. */
  get stuck(): boolean {
    return this.#busySince !== undefined && Date.now() - this.#busySince >= LONGEST_ATTEMPT_MS;
  }

  /** Takes it from whoever holds it. Only where the store shows nobody at work. */
  async steal(): Promise<Turn> {
    this.#busySince = undefined;
    return this.#ask({ steal: true });
  }

  /** Calls `then` once when its holder lets go of it, or dies. It is not kept. */
  whenFree(then: () => void): void {
    if (this.#waiting || this.#name === undefined) return;
    const waiting = new AbortController();
    this.#waiting = waiting;
    const granted = (): void => {
      if (this.#waiting === waiting) this.#waiting = undefined;
      then();
    };
    // Without it the next pass that is due finds out.
    try {
      Promise.resolve(this.#locks()?.request(this.#name, { signal: waiting.signal }, granted)).catch(ignore);
    } catch {
      this.#waiting = undefined;
    }
  }

  /** Lets go of it, whatever is still going on, and waits for it no longer. */
  close(): void {
    this.#waiting?.abort();
    this.#waiting = undefined;
    for (const turn of [...this.#held]) turn.release();
  }

  async #ask(options: LockOptions): Promise<Turn> {
    try {
      const locks = this.#name === undefined ? undefined : this.#locks();
      if (!locks || this.#name === undefined) return turnOf(this.#without);
      return await this.#answered(locks, this.#name, options);
    } catch (error) {
      return { ...turnOf(Others.unknown), failure: { error } };
    }
  }

  #answered(locks: Locks, name: string, options: LockOptions): Promise<Turn> {
    const timer = new Timer();
    let late = false;
    return new Promise<Turn>((resolve, reject) => {
      const granted = (lock: unknown): unknown => {
        if (late) return undefined;
        if (lock === null) return resolve(turnOf(Others.working));
        return new Promise<void>((free) => resolve(this.#holding(free, () => back)));
      };
      timer.set(() => reject(new Error(`the lock manager did not answer within ${ANSWER_MS / 1_000} s`)), ANSWER_MS);
      // It ends when the lock is released, or was stolen, which the next claim finds out.
      const back = Promise.resolve(locks.request(name, options, granted)).catch(reject);
    }).finally(() => {
      late = true;
      timer.clear();
    });
  }

  #holding(free: () => void, back: () => Promise<unknown>): Turn {
    const turn = turnOf(Others.idle, () => {
      if (!this.#held.delete(turn)) return;
      this.#returning = within(ANSWER_MS, back());
      free();
    });
    this.#held.add(turn);
    return turn;
  }
}

/** `navigator.locks`, where there is one. */
export function platformLocks(): Locks | undefined {
  const host: unknown = globalThis;
  const locks = isFields(host) && isFields(host.navigator) ? host.navigator.locks : undefined;
  return isLocks(locks) ? locks : undefined;
}

function isLocks(locks: unknown): locks is Locks {
  return typeof locks === 'object' && locks !== null && 'request' in locks && typeof locks.request === 'function';
}

function turnOf(others: Others, release: () => void = () => undefined): Turn {
  return { others, release };
}

/** Ends with `promise`, or after so long; never fails. */
function within(ms: number, promise: Promise<unknown>): Promise<unknown> {
  const timer = new Timer();
  return Promise.race([promise, new Promise<void>((resolve) => timer.set(resolve, ms))]).then(ignore, ignore).finally(() => timer.clear());
}

function ignore(): void {}

/** The core's length of an attempt: from its claim, or its last renewal, to its deadline. */
const LONGEST_ATTEMPT_MS = 600_000;
/** A lock manager answers within milliseconds; one that hangs holds up one pass, not the conversation. */
const ANSWER_MS = 2_000;
