// Observing: the recording's own compactions are the commits, judged by the recorded usage. Nothing is assumed.

import { Conversation, type Call } from './conversation.js';
import type { Engine } from './engine.js';
import type { TraceStep } from './trace.js';

type Step<K extends TraceStep['kind']> = Extract<TraceStep, { kind: K }>;

export class Observed extends Conversation {
  protected async beforeCall(engine: Engine): Promise<void> {
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
  }

  protected async compaction(engine: Engine, step: Step<'compaction'>): Promise<void> {
    const decision = engine.explain(this.clock.now);
    this.counted(decision);
    const entries = engine.entryCount();
    const { coversEntries, summaryTokens, tokensBefore, trigger = null, cost } = step;
    const compactionId = await engine.adopt(coversEntries, Math.max(1, summaryTokens), trigger === 'manual', this.clock.now);
    // Adopting settles the verdict of the pass before.
    this.judge(engine);
    this.report({ type: 'compaction', by: 'recording', decision, entries, coversEntries, beforeTokens: tokensBefore ?? decision.usedTokens, summaryTokens, trigger });
    // The pass cost what was counted for it, or about what it read, which the recording may say, and the summary it wrote.
    const about = tokensBefore === undefined || summaryTokens === 0 ? null : tokensBefore + summaryTokens;
    const spentTokens = cost === undefined ? about : cost.promptTokens + cost.outputTokens;
    this.made(compactionId, { by: 'recording', beforeTokens: decision.usedTokens, afterTokens: null, spentTokens });
  }
}
