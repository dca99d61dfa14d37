// Counts for the closing summary.

import type { Decision } from './engine.js';
import type { PassReport, SummaryEvent } from './events.js';
import type { Cost } from './trace.js';

export class Tally {
  sessions = 0;
  entries = 0;
  modelCalls = 0;
  usageRecords = 0;
  usageWithoutFigure = 0;
  usageIgnored = 0;
  unreadable = 0;
  recordedCompactions = 0;
  peak = 0;
  simulatedPeak = 0;
  windowTokens: number | null = null;
  started = 0;
  overflows = 0;
  readonly cleared = { times: 0, tokens: 0 };
  readonly passes: PassReport[] = [];
  readonly #refused = new Map<string, SummaryEvent['refused'][number]>();

  /** What the provider counted for a pass of the recording is the prompt of no step, and a prompt all the same. */
  passed(cost: Cost | undefined): void {
    if (cost === undefined) return;
    this.usageRecords += Number(cost.separate);
    this.peak = Math.max(this.peak, cost.promptTokens);
  }

  /** Old results were cleared without a model. */
  clear(tokens: number): void {
    this.cleared.times += 1;
    this.cleared.tokens += tokens;
  }

  refused(decision: Decision, line: number, session: string | undefined): void {
    const { action, reason = 'unknown', sentence } = decision;
    if (action !== 'wait' && action !== 'blocked') return;
    const known = this.#refused.get(reason);
    if (known === undefined) this.#refused.set(reason, { action, reason, times: 1, firstLine: line, ...(session === undefined ? {} : { firstSession: session }), sentence });
    else known.times += 1;
  }

  summary(): SummaryEvent {
    const useless = this.passes.filter((pass) => pass.verdict === 'weak' || pass.verdict === 'ineffective');
    const known = useless.every((pass) => pass.spentTokens !== null);
    return {
      type: 'summary',
      sessions: this.sessions,
      entries: this.entries,
      modelCalls: this.modelCalls,
      usageRecords: this.usageRecords,
      usageWithoutFigure: this.usageWithoutFigure,
      usageIgnored: this.usageIgnored,
      unreadable: this.unreadable,
      recordedCompactions: this.recordedCompactions,
      peakPromptTokens: this.peak > 0 ? this.peak : null,
      simulatedPeakPromptTokens: this.simulatedPeak > 0 ? this.simulatedPeak : null,
      windowTokens: this.windowTokens,
      passes: this.passes,
      started: this.started,
      refused: [...this.#refused.values()],
      cleared: this.cleared,
      overflows: this.overflows,
      uselessTokens: known ? useless.reduce((sum, pass) => sum + (pass.spentTokens ?? 0), 0) : null,
    };
  }
}
