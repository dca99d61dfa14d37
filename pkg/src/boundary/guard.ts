// What every call into the WebAssembly instance goes through. A trap leaves the instance broken: from then on it is never
// called again, whoever waits for it hears of it, and what sessions are asked next begins on a fresh one.

import { compactionError, isCompactionError } from '../errors.js';
import type { CompactionError } from '../surface.js';

type Exports = Readonly<Record<string, unknown>>;
type Call = (...args: unknown[]) => unknown;

/** One instance, from its start to its trap. */
export class Life {
  #cause: unknown;
  #over = false;
  readonly #waiting = new Set<(error: CompactionError) => void>();

  /** The life that new sessions begin in. */
  static current = new Life();

  /** Undefined while it lives. */
  get fault(): CompactionError | undefined {
    return this.#over ? internal(this.#cause) : undefined;
  }

  get over(): boolean {
    return this.#over;
  }

  /** For what would not ask the instance. */
  check(): void {
    if (this.#over) throw internal(this.#cause);
  }

  /** What `answer` gives, or `otherwise` where the instance is gone, or ends in answering. */
  lived<T>(answer: () => T, otherwise: () => T): T {
    if (this.#over) return otherwise();
    try {
      return answer();
    } catch (error) {
      if (this.#over) return otherwise();
      throw error;
    }
  }

  end(cause: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#cause = cause;
    for (const told of [...this.#waiting]) told(internal(cause));
    this.#waiting.clear();
  }

  /** Calls `told` at the end, once; the answer takes it back. */
  whenOver(told: (error: CompactionError) => void): () => void {
    this.#waiting.add(told);
    return () => void this.#waiting.delete(told);
  }

  /** What `operation` comes to. What it waits for in a dead instance never comes: then it rejects. */
  async outlived<T>(operation: () => Promise<T>): Promise<T> {
    this.check();
    let letGo = (): void => undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        letGo = this.whenOver(reject);
        operation().then(resolve, reject);
      });
    } finally {
      letGo();
    }
  }
}

/** The exports of a new instance, each behind the guard; the glue is built to call them alone. */
export function guarded(exports: Exports): Exports {
  begun = true;
  const life = (Life.current = new Life());
  const held: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(exports)) held[name] = isCall(value) && !HARMLESS.has(name) ? crossing(life, value, UNAWAITED.test(name)) : value;
  // Objects made key by key are slow to look into; those that others inherit from are not.
  Object.create(held);
  return held;
}

/** Whether this is a compiled module, of whichever realm: an edge runtime compiles outside of the one that its code runs in. */
export function isModule(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object WebAssembly.Module]';
}

/** An error for whoever was faster than the WebAssembly file. */
export function requireStarted(): void {
  if (!begun) throw compactionError('not_started', 'the WebAssembly file is not there yet, so nothing was opened; await init(...) of compaction-governor/slim first');
}

/** What the glue throws for an object whose instance is gone. */
export function stale(): CompactionError {
  return internal(undefined);
}

/** Whether `error` says that the session's instance is gone, in which case nothing of the session answers any more. */
export function isFault(error: unknown): error is CompactionError {
  return isCompactionError(error) && error.code === CODE;
}

/**
 * Whatever comes out of an export by throwing went through frames that nothing cleaned up, not a trap alone. What nobody waits for (the
 * engine's own callbacks, memory given back) ends there, lest it end a process.
 */
function crossing(life: Life, call: Call, unawaited: boolean): Call {
  return (...args) => {
    const quiet = unawaited && depth === 0;
    if (life.over) return refused(life, quiet);
    depth += 1;
    try {
      return call(...args);
    } catch (cause) {
      life.end(cause);
      return refused(life, quiet);
    } finally {
      depth -= 1;
    }
  };
}

function refused(life: Life, quiet: boolean): readonly never[] {
  if (quiet) return NOTHING;
  throw life.fault ?? stale();
}

function internal(cause: unknown): CompactionError {
  const error = compactionError(CODE, 'a fault inside this package ended what this came from; what is stored stays, and the session goes on from it with the next call; make plans and steps anew', { applied: 'unknown' });
  return Object.assign(error, { cause });
}

function isCall(value: unknown): value is Call {
  return typeof value === 'function';
}

/** Whether there was an instance at all. */
let begun = false;
/** Calls that are being made, one inside another. */
let depth = 0;
const CODE = 'internal';
/** As the glue reads a result without one. */
const NOTHING: readonly never[] = [];
/** Asked at every keystroke and of every text; they take numbers, check them, and read. */
const HARMLESS: ReadonlySet<string> = new Set(['overLine', 'countBytes']);
const UNAWAITED = /_free$|_closures?_/;
