// The public types of `compaction-governor/conformance`.

import type { Store } from '../surface.js';

/**
 * Runs every clause of the storage contract on stores that `makeStore` makes, one after another, and tells which hold: in
 * a page of yours, in your visitor's own browser, in under ten seconds. For a store of your own behind `injected` it is the
 * test to write.
 *
 * `makeStore` is called with a name. Another name must lead to a place without any data, the same name to the same data
 * again (as from a second tab, or after a reload):
 *
 * ```ts
 * const report = await checkStore((name) => indexedDb({ name }));
 * ```
 *
 * Names begin with `compaction-governor-check-`. What was written under them is removed at the end: databases and items
 * always, sessions of an injected object where it has `list` and `remove`.
 *
 * It never rejects for what a store does. One run at a time: a second one waits for the first.
 */
export function checkStore(makeStore: (name: string) => Store, options?: CheckOptions): Promise<Report>;

export interface CheckOptions {
  /** Only these clauses, by name. */
  clauses?: readonly string[];
  /** Called after each clause. */
  onClause?: (result: ClauseResult) => void;
  /** A clause that has not ended by then is broken; 15,000 unless you say otherwise. */
  clauseTimeoutMs?: number;
}
export interface Report {
  /** Whether no clause is broken. */
  ok: boolean;
  clauses: readonly ClauseResult[];
  held: number;
  notDeclared: number;
  broken: number;
  totalMs: number;
}
export interface ClauseResult {
  /** The name of the clause; it never changes once released. */
  clause: string;
  /** `not_declared`: the store does not promise this, so nothing was asked of it. */
  status: 'held' | 'not_declared' | 'broken';
  /** What came of it, for a person. */
  sentence: string;
  ms: number;
}
