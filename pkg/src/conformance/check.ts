// checkStore: one clause after another, each polled here, so that one which breaks is an exception in this loop and nowhere else.

import { startClause, clauseNames, type Clause } from './glue.js';
import type { Store } from '../surface.js';
import { Stand } from './stand.js';
import type { CheckOptions, ClauseResult, Report } from './surface.js';

export function checkStore(makeStore: (name: string) => Store, options: CheckOptions = {}): Promise<Report> {
  const run = latest.then(() => checked(makeStore, options));
  latest = run.catch(() => undefined);
  return run;
}

let latest: Promise<unknown> = Promise.resolve();

async function checked(makeStore: (name: string) => Store, { clauses, onClause, clauseTimeoutMs = 15_000 }: CheckOptions): Promise<Report> {
  const started = performance.now();
  const stand = new Stand(makeStore);
  const results: ClauseResult[] = [];
  for (const clause of clauses ?? clauseNames()) {
    const result = await resultOf(clause, stand, clauseTimeoutMs);
    results.push(result);
    onClause?.(result);
  }
  await stand.clear();
  const count = (status: ClauseResult['status']): number => results.filter((result) => result.status === status).length;
  const broken = count('broken');
  return { ok: broken === 0, clauses: results, held: count('held'), notDeclared: count('not_declared'), broken, totalMs: performance.now() - started };
}

async function resultOf(clause: string, stand: Stand, timeoutMs: number): Promise<ClauseResult> {
  const started = performance.now();
  const ended = await outcomeOf(clause, stand, timeoutMs);
  return { clause, ...ended, ms: performance.now() - started };
}

type Ended = Pick<ClauseResult, 'status' | 'sentence'>;

async function outcomeOf(clause: string, stand: Stand, timeoutMs: number): Promise<Ended> {
  stand.heard = '';
  try {
    const running = startClause(clause, stand);
    if (!running) return { status: 'broken', sentence: 'there is no clause of that name' };
    const missing = await ended(running, stand, timeoutMs);
    running.free();
    if (missing === undefined) return { status: 'broken', sentence: `the clause had not ended after ${timeoutMs} ms` };
    return missing === '' ? { status: 'held', sentence: 'the store keeps this clause' } : { status: 'not_declared', sentence: `the store does not declare: ${missing}` };
  } catch (error) {
    // A trap says nothing; what the clause said before it does.
    return { status: 'broken', sentence: oneLine(stand.heard || String(error)) };
  }
}

/** Polls until the end; undefined when the time is over first. */
async function ended(running: Clause, stand: Stand, timeoutMs: number): Promise<string | undefined> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const woken = stand.wake();
    const outcome = running.poll();
    if (outcome !== undefined) return outcome;
    if (performance.now() >= until || !(await inTime(woken, until - performance.now()))) return undefined;
  }
}

async function inTime(woken: Promise<void>, ms: number): Promise<boolean> {
  let timer: unknown;
  const over = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  try {
    return await Promise.race([woken.then(() => true as const), over]);
  } finally {
    clearTimeout(timer);
  }
}

function oneLine(message: string): string {
  return message.replace(/\s+/g, ' ').trim();
}
