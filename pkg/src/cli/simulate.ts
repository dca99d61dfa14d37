// Simulating: the governor compacts by itself with a scripted summariser, and later figures are lower by what that saved.
// Recorded compactions are left out.

import { Baseline } from './baseline.js';
import { Conversation, type Call } from './conversation.js';
import type { Engine, Plan } from './engine.js';
import type { PassReport } from './events.js';
import { scriptedSummary } from './summariser.js';
import { roughTokens, type TraceEntry, type TraceStep } from './trace.js';

type Step<K extends TraceStep['kind']> = Extract<TraceStep, { kind: K }>;

export class Simulated extends Conversation {
  readonly #baseline = new Baseline();
  #pending = new Map<string, PassReport>();

  protected override entryAdded(entry: TraceEntry): void {
    this.#baseline.add(entry);
  }

  protected override rewound(length: number): void {
    this.#baseline.rewind(length);
  }

  protected async beforeCall(engine: Engine): Promise<void> {
    this.#judge(engine);
    const before = engine.explain(this.clock.now);
    this.answered(before);
    if (before.action === 'compact') await this.#pass(engine, 'auto');
  }

  protected async usage(engine: Engine, step: Step<'usage'>, call: Call): Promise<void> {
    this.#baseline.prompt(step.promptTokens, call.entries);
    const prompt = await this.#untilItFits(engine, call);
    this.tally.simulatedPeak = Math.max(this.tally.simulatedPeak, prompt);
    if (prompt > this.windowTokens) return;
    const said = await engine.reportUsage(prompt, step.outputTokens, call.viewRevision, call.sentAt, call.entries, this.clock.now);
    if (said.ignored !== undefined) {
      this.tally.usageIgnored += 1;
      this.report({ type: 'ignored', promptTokens: prompt, reason: said.ignored });
    }
    this.#judge(engine);
  }

  protected async compaction(_engine: Engine, step: Step<'compaction'>): Promise<void> {
    this.#baseline.break();
    this.report({ type: 'left_out', tokensBefore: step.tokensBefore ?? null });
  }

  protected override stepped(engine: Engine): void {
    this.#judge(engine);
  }

  protected settlePasses(): void {
    this.#pending.clear();
  }

  /** A provider refuses a prompt above its window; the governor may then compact, and the call is made again. */
  async #untilItFits(engine: Engine, call: Call): Promise<number> {
    let prompt = this.#prompt(engine, call);
    for (let tries = 0; prompt > this.windowTokens; tries += 1) {
      this.tally.overflows += 1;
      const { decision } = await engine.overflow(call.viewRevision, this.windowTokens, this.clock.now);
      this.#judge(engine);
      const gaveUp = decision.action !== 'compact' || tries === OVERFLOW_TRIES;
      this.report({ type: 'overflow', promptTokens: prompt, windowTokens: this.windowTokens, gaveUp });
      this.answered(decision);
      if (gaveUp || !(await this.#pass(engine, 'overflow'))) break;
      call.viewRevision = engine.viewRevision();
      prompt = this.#prompt(engine, call);
    }
    return prompt;
  }

  #prompt(engine: Engine, call: Call): number {
    const summary = engine.summaryText();
    const summaryTokens = summary === undefined ? 0 : roughTokens(Buffer.byteLength(summary));
    return this.#baseline.of(engine.view(), call.entries, summaryTokens);
  }

  async #pass(engine: Engine, kind: 'auto' | 'overflow'): Promise<boolean> {
    const decision = engine.explain(this.clock.now);
    const plan = await engine.claim(kind, this.clock.now);
    if ('refused' in plan) {
      this.answered(plan.refused);
      return false;
    }
    const summary = plan.means === 'model' ? scriptedSummary(plan.tokens, plan.maxTokens) : '';
    const summaryTokens = roughTokens(summary.length);
    const spent = plan.means === 'model' ? plan.tokens + summaryTokens : 0;
    const done = plan.means === 'model' ? await engine.commit(plan.compactionId, summary, 'stop', spent, this.clock.now) : await this.#plain(engine, plan);
    if (done.status === 'committed') {
      const { compactionId, beforeTokens, afterTokens } = done;
      this.report({ type: 'compaction', by: 'governor', decision, entries: engine.entryCount(), coversEntries: plan.cut, beforeTokens, summaryTokens, trigger: null });
      const session = this.label === undefined ? {} : { session: this.label };
      const report: PassReport = { line: this.line, ...session, by: 'governor', beforeTokens, afterTokens, verdict: 'pending', spentTokens: spent };
      this.tally.passes.push(report);
      this.#pending.set(compactionId, report);
      return true;
    }
    const { code, message } = done.status === 'failed' ? done : { code: 'superseded', message: 'another pass took its place' };
    this.report({ type: 'failed', code, message });
    return false;
  }

  /** The governor's own plain summary. A trace has no text, so each entry of the slice reads as empty. */
  async #plain(engine: Engine, plan: Plan): ReturnType<Engine['commitFallback']> {
    return await engine.commitFallback(plan.compactionId, '', new Uint32Array(plan.entries + 1), this.clock.now);
  }

  #judge(engine: Engine): void {
    if (this.#pending.size === 0) return;
    for (const pass of engine.history()) {
      const report = this.#pending.get(pass.compactionId);
      if (report === undefined || pass.verdict === 'pending') continue;
      this.#pending.delete(pass.compactionId);
      report.verdict = pass.verdict;
      report.beforeTokens = pass.beforeTokens;
      report.afterTokens = pass.afterTokens ?? report.afterTokens;
      this.report({ type: 'verdict', verdict: pass.verdict, madeAtLine: report.line, beforeTokens: pass.beforeTokens, afterTokens: report.afterTokens });
    }
  }
}

/** Passes tried for one prompt that does not fit; the governor's own cap is what normally ends it. */
const OVERFLOW_TRIES = 3;
