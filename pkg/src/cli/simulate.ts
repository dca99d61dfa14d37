// Simulating: the governor compacts by itself with a scripted summariser, and later figures are lower by what that saved.
// Recorded compactions are left out.

import { Baseline } from './baseline.js';
import { Conversation, type Call } from './conversation.js';
import type { Decision, Engine, Plan, Refused } from './engine.js';
import { Fit, OVERFLOW_TRIES } from './fit.js';
import { scriptedSummary } from './summariser.js';
import type { TraceEntry, TraceStep } from './trace.js';
import { rough } from '../text/rough.js';

type Step<K extends TraceStep['kind']> = Extract<TraceStep, { kind: K }>;

export class Simulated extends Conversation {
  protected override readonly makesPasses = true;
  readonly #baseline = new Baseline();
  readonly #fit = new Fit(this.#baseline, this.tally, (event) => this.report(event));
  #measured: { revision: number; tokens: number } | undefined;

  protected override entryAdded(entry: TraceEntry): void {
    this.#baseline.add(entry);
  }

  protected override rewound(length: number): void {
    this.#baseline.rewind(length);
  }

  protected async beforeCall(engine: Engine): Promise<void> {
    if (this.#fit.hopeless) return;
    const decision = engine.explain(this.clock.now);
    if (decision.action === 'compact') await this.#pass(engine, 'auto', decision);
    else this.answered(decision);
  }

  protected async usage(engine: Engine, step: Step<'usage'>, call: Call): Promise<void> {
    this.#baseline.prompt(step.promptTokens, call.entries);
    if (this.#fit.isHopeless(this.windowTokens, () => this.#prompt(engine, call))) return;
    const prompt = await this.#untilItFits(engine, call);
    this.#fit.sent(prompt);
    if (prompt > this.windowTokens) return;
    const said = await engine.reportUsage(prompt, call.viewRevision, call.sentAt, call.entries, this.clock.now);
    if (said.ignored !== undefined) {
      this.tally.usageIgnored += 1;
      this.report({ type: 'ignored', promptTokens: prompt, reason: said.ignored });
    }
  }

  protected async compaction(_engine: Engine, step: Step<'compaction'>): Promise<void> {
    this.#fit.leftOut(step.tokensBefore);
  }

  /** A provider refuses a prompt above its window; the governor may then compact, and the call is made again. */
  async #untilItFits(engine: Engine, call: Call): Promise<number> {
    let prompt = this.#prompt(engine, call);
    for (let tries = 0; prompt > this.windowTokens; tries += 1) {
      const { decision } = await engine.overflow(call.viewRevision, this.windowTokens, this.clock.now);
      this.judge(engine);
      const gaveUp = decision.action !== 'compact' || tries === OVERFLOW_TRIES;
      this.#fit.refused(prompt, this.windowTokens, gaveUp);
      if (decision.action !== 'compact') this.answered(decision);
      if (gaveUp || !(await this.#pass(engine, 'overflow', decision))) break;
      call.viewRevision = engine.viewRevision();
      prompt = this.#prompt(engine, call);
    }
    return prompt;
  }

  #prompt(engine: Engine, call: Call): number {
    return this.#baseline.of(engine.view(), call.entries, this.#summaryTokens(engine));
  }

  /** Measured once for each view: the text is long, and the same until the next pass. */
  #summaryTokens(engine: Engine): number {
    const revision = engine.viewRevision();
    if (this.#measured?.revision !== revision) {
      this.#measured = { revision, tokens: rough(Buffer.byteLength(engine.summaryText() ?? '')) };
    }
    return this.#measured.tokens;
  }

  async #pass(engine: Engine, kind: 'auto' | 'overflow', decision: Decision): Promise<boolean> {
    const plan = await engine.claim(kind, this.clock.now);
    if ('refused' in plan) return this.#cleared(decision, plan);
    this.answered(decision);
    const text = plan.means === 'model' ? scriptedSummary(plan.tokens, plan.maxTokens) : undefined;
    const summaryTokens = rough(text?.length ?? 0);
    const spentTokens = text === undefined ? 0 : plan.tokens + summaryTokens;
    engine.paid(spentTokens);
    const done = text === undefined ? await this.#plain(engine, plan) : await engine.commit(plan.compactionId, text, 'stop', this.clock.now, '', new Uint32Array(plan.entries + 1), '');
    if (done.status !== 'committed') {
      const { code, message } = done.status === 'failed' ? done : { code: 'superseded', message: 'another pass took its place' };
      this.report({ type: 'failed', code, message });
      return false;
    }
    const { compactionId, beforeTokens, afterTokens } = done;
    this.report({ type: 'compaction', by: 'governor', decision, entries: engine.entryCount(), coversEntries: plan.cut, beforeTokens, summaryTokens, trigger: null });
    this.made(compactionId, { by: 'governor', beforeTokens, afterTokens, spentTokens });
    return true;
  }

  #cleared(decision: Decision, { refused, prunedTokens }: Refused): boolean {
    if (prunedTokens === undefined) {
      this.answered(refused);
      return false;
    }
    this.answered(decision);
    this.#fit.cleared(decision, prunedTokens);
    return true;
  }

  /** The governor's own plain summary. A trace has no text, so each entry of the slice reads as empty. */
  async #plain(engine: Engine, plan: Plan): ReturnType<Engine['commitFallback']> {
    return await engine.commitFallback(plan.compactionId, '', new Uint32Array(plan.entries + 1), this.clock.now);
  }
}
