// Passes and their verdicts, which come later, if ever.

import type { PassReport, Placeless, ReplayEvent } from './events.js';
import type { Tally } from './tally.js';

export class Verdicts {
  readonly #tally: Tally;
  readonly #report: (event: Placeless<ReplayEvent>) => void;
  /** Passes that await theirs, by the engine's id. */
  readonly #unjudged = new Map<string, PassReport>();

  constructor(tally: Tally, report: (event: Placeless<ReplayEvent>) => void) {
    this.#tally = tally;
    this.#report = report;
  }

  /** `report` is kept, and changed when its verdict comes. */
  made(compactionId: string, report: PassReport): void {
    this.#tally.passes.push(report);
    this.#unjudged.set(compactionId, report);
  }

  /** `promptTokens`: what the verdict went by, where one knows. */
  given(compactionId: string, verdict: PassReport['verdict'], promptTokens: number | undefined, estimated: boolean): void {
    const report = this.#unjudged.get(compactionId);
    if (report === undefined) return;
    this.#unjudged.delete(compactionId);
    report.verdict = verdict;
    report.afterTokens = promptTokens ?? report.afterTokens;
    const { line, beforeTokens, afterTokens } = report;
    this.#report({ type: 'verdict', verdict, estimated, madeAtLine: line, beforeTokens, afterTokens });
  }
}
