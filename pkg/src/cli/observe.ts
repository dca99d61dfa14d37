// Observing: the recording's own compactions are the commits, judged by the recorded usage. Nothing is assumed.

import { Conversation, type Call } from './conversation.js';
import type { Engine, Pass } from './engine.js';
import type { PassReport } from './events.js';
import type { TraceStep } from './trace.js';

type Step<K extends TraceStep['kind']> = Extract<TraceStep, { kind: K }>;

export class Observed extends Conversation {
  /** The recording's pass that awaits its verdict. */
  #pending: { compactionId: string; report: PassReport } | undefined;

  protected async beforeCall(engine: Engine): Promise<void> {
    this.#judge(engine);
    this.answered(engine.explain(this.clock.now));
  }

  protected async usage(engine: Engine, step: Step<'usage'>, call: Call): Promise<void> {
    const { promptTokens } = step;
    const said = await engine.reportUsage(promptTokens, call.viewRevision, call.sentAt, call.entries, this.clock.now);
    if (said.ignored !== undefined) {
      this.tally.usageIgnored += 1;
      this.report({ type: 'ignored', promptTokens, reason: said.ignored });
    }
    this.windowLearned(engine.explain(this.clock.now).windowTokens);
    this.#judge(engine);
  }

  protected async compaction(engine: Engine, step: Step<'compaction'>): Promise<void> {
    this.#judge(engine);
    const decision = engine.explain(this.clock.now);
    this.counted(decision);
    const entries = engine.entryCount();
    const { coversEntries, summaryTokens } = step;
    const compactionId = await engine.adopt(coversEntries, Math.max(1, summaryTokens), this.clock.now);
    const made = engine.history().find((pass) => pass.compactionId === compactionId);
    const beforeTokens = step.tokensBefore ?? made?.beforeTokens ?? decision.usedTokens;
    this.report({ type: 'compaction', by: 'recording', decision, entries, coversEntries, beforeTokens, summaryTokens, trigger: step.trigger ?? null });
    this.#judge(engine);
    const report = this.#newReport(step, beforeTokens);
    this.tally.passes.push(report);
    this.#pending = { compactionId, report };
  }

  protected override stepped(engine: Engine): void {
    this.#judge(engine);
  }

  protected settlePasses(): void {
    this.#pending = undefined;
  }

  /** A pass of the recording cost about what it read, which the recording says, and the summary it wrote. */
  #newReport(step: Step<'compaction'>, beforeTokens: number | null): PassReport {
    const { tokensBefore, summaryTokens } = step;
    const spentTokens = tokensBefore === undefined || summaryTokens === 0 ? null : tokensBefore + summaryTokens;
    const session = this.label === undefined ? {} : { session: this.label };
    return { line: step.line, ...session, by: 'recording', beforeTokens, afterTokens: null, verdict: 'pending', spentTokens };
  }

  #judge(engine: Engine): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    const pass = engine.history().find((one) => one.compactionId === pending.compactionId);
    if (pass === undefined || pass.verdict === 'pending') return;
    this.#pending = undefined;
    this.#write(pass, pending.report);
  }

  #write(pass: Pass, report: PassReport): void {
    report.verdict = pass.verdict;
    report.beforeTokens = pass.beforeTokens;
    report.afterTokens = pass.afterTokens ?? null;
    this.report({ type: 'verdict', verdict: pass.verdict, madeAtLine: report.line, beforeTokens: pass.beforeTokens, afterTokens: report.afterTokens });
  }
}
