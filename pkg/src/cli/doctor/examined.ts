// One conversation under examination: observed to its end, and then asked what stands and what a pass would bring.

import type { Setting } from '../conversation.js';
import type { Decision, Engine } from '../engine.js';
import type { ReplayEvent, WindowSource } from '../events.js';
import { Observed } from '../observe.js';
import type { TraceEntry, TraceStep } from '../trace.js';
import type { Diagnosis, Pass } from './diagnosis.js';
import { findingsOf } from './findings.js';
import { type Change, changesFrom, type Kept, keptOf } from './repair/changes.js';
import { Standing } from './standing.js';

export class Examined extends Observed {
  readonly #standing = new Standing();
  #windowSource: WindowSource = 'assumed';
  #model: string | null = null;
  #summaryTokens = 0;
  readonly #kept: Kept[] | undefined;
  /** What mends it; empty unless that was asked for. */
  changes: Change[] = [];
  /** Undefined until the end, and where the conversation held nothing. */
  diagnosis: Diagnosis | undefined;

  /** `repairing`: whether what mends it is asked for as well. */
  constructor(setting: Omit<Setting, 'emit'>, repairing: boolean) {
    super({ ...setting, emit: (event) => this.#heard(event) });
    this.#kept = repairing ? [] : undefined;
  }

  #heard(event: ReplayEvent): void {
    if (event.type !== 'window') return;
    this.#windowSource = event.source;
    this.#model = event.model;
  }

  protected override entryAdded(entry: TraceEntry, line: number): void {
    this.#standing.add(entry, line);
    this.#kept?.push(keptOf(entry, line));
  }

  protected override rewound(length: number): void {
    this.#standing.rewind(length);
    this.#kept?.splice(length);
  }

  protected override async compaction(engine: Engine, step: Extract<TraceStep, { kind: 'compaction' }>): Promise<void> {
    this.#summaryTokens = step.summaryTokens;
    await super.compaction(engine, step);
  }

  protected override async ended(engine: Engine): Promise<void> {
    await engine.settle(this.clock.now);
    this.judge(engine);
    if (this.#kept !== undefined) this.changes = changesFrom(engine, this.#kept);
    const decision = engine.explain(this.clock.now);
    const { shown, summary } = shownBy(engine.view());
    const found = {
      ...(this.label === undefined ? {} : { session: this.label }),
      entries: this.#standing.count,
      windowTokens: decision.windowTokens ?? this.windowTokens,
      windowSource: this.#windowSource,
      model: this.#model,
      decision,
      view: { entries: shown.length, coveredEntries: this.#standing.count - shown.length, summaryTokens: summary ? this.#summaryTokens : 0 },
      ...this.#standing.counted(shown),
      pass: await this.#pass(engine, decision),
      pastPasses: this.#pastPasses(),
    };
    this.diagnosis = { ...found, findings: findingsOf(found) };
  }

  /** Where no pass is due it is asked for by hand: what one would bring is of interest below the threshold as well. */
  async #pass(engine: Engine, { action, usedTokens }: Decision): Promise<Pass> {
    const plan = await engine.claim(action === 'compact' ? 'auto' : 'manual', this.clock.now);
    if ('refused' in plan && plan.prunedTokens !== undefined) {
      const beforeTokens = usedTokens ?? plan.prunedTokens;
      return { possible: true, means: 'clearing', beforeTokens, afterTokens: beforeTokens - plan.prunedTokens };
    }
    if ('refused' in plan) return { possible: false, reason: plan.refused.reason ?? 'unknown', sentence: plan.refused.sentence };
    const { entries, beforeTokens, promisedTokens, maxTokens } = plan;
    return { possible: true, means: 'summary', coversEntries: entries, keepsEntries: this.#standing.count - plan.cut, beforeTokens, afterTokens: promisedTokens, summaryTokens: maxTokens };
  }

  #pastPasses(): Diagnosis['pastPasses'] {
    const { passes, uselessTokens } = this.tally.summary();
    return { made: passes.length, useless: passes.filter(({ verdict }) => verdict === 'weak' || verdict === 'ineffective'), uselessTokens };
  }
}

/** The entries that a view shows, and whether a summary stands in front of them. */
function shownBy(view: Uint32Array): { shown: number[]; summary: boolean } {
  const shown: number[] = [];
  let summary = false;
  for (let at = 0; at + 2 < view.length; at += 3) {
    const [kind, from = 0, to = 0] = view.subarray(at, at + 3);
    summary ||= kind === SUMMARY;
    if (kind === VERBATIM) for (let index = from; index < to; index += 1) shown.push(index);
    else if (kind !== SUMMARY) shown.push(from);
  }
  return { shown, summary };
}

const VERBATIM = 0;
const SUMMARY = 1;
