// Level 3: observe, plan, view, record. The only level that talks to the core.

import type { ClaimKind } from '../boundary/glue.js';
import type { Advanced, Decision, ObserveOptions, OverflowReport, Plan, PlanOptions, RepairReport, StorageReport, StoredRecord, View, ViewOptions, ViewStamp } from '../surface.js';
import { branded } from '../errors.js';
import { claim } from './claim.js';
import type { Engine } from './engine.js';
import { storageReport } from './persistence.js';
import { ClaimedPlan, sliceOf } from './plan.js';
import { changeOf, confirmed, repaired, repairsOf } from './repair.js';

export class FullControl<M> implements Advanced<M> {
  readonly #engine: Engine<M>;
  readonly #plans = new Map<string, Plan<M>>();
  #model: string | undefined;
  #window: number | undefined;

  constructor(engine: Engine<M>) {
    this.#engine = engine;
  }

  observe(messages: readonly M[], options: ObserveOptions = {}): void {
    const { core, life, transcript, watch } = this.#engine;
    life.check();
    this.#useModel(options);
    transcript.observe(messages, options.after);
    this.#engine.later(() => core.settle(Date.now()));
    watch.changed();
  }

  async plan(options: PlanOptions = {}): Promise<Plan<M> | { refused: Decision; prunedTokens?: number }> {
    const { core } = this.#engine;
    await this.#engine.quiet();
    const decision = core.explain(Date.now());
    const claimed = await claim(this.#engine, options.trigger ?? automatic(decision), decision, this.#plans.size > 0);
    if ('refused' in claimed) return claimed;
    const { claimed: dto, turn } = claimed;
    try {
      const slice = await sliceOf(this.#engine, dto, options.focus);
      const plan = new ClaimedPlan(this.#engine, dto, slice, turn, () => this.#plans.delete(dto.compactionId));
      this.#plans.set(dto.compactionId, plan);
      return plan;
    } catch (error) {
      turn.release();
      throw error;
    }
  }

  async resume(compactionId: string): Promise<Plan<M> | undefined> {
    return this.#plans.get(compactionId);
  }

  view(messages: readonly M[], { after }: ViewOptions = {}): View<M> {
    const { transcript, views, watch } = this.#engine;
    transcript.observe(messages, after);
    watch.changed();
    return views.at(Date.now());
  }

  repair(messages: readonly M[], { dryRun = false }: { dryRun?: boolean } = {}): RepairReport<M> {
    const { core, reader, transcript, watch } = this.#engine;
    transcript.observe(messages);
    watch.changed();
    const repairs = confirmed(messages, repairsOf(core.repair()), reader);
    const changes = repairs.map((repair) => changeOf(repair));
    return { messages: dryRun ? [...messages] : repaired(messages, repairs, reader, (joined, offsets) => core.collapse(joined, offsets, true)), changes };
  }

  async recordUsage(promptTokens: number | undefined, view: ViewStamp): Promise<void> {
    const { core, ready, transcript } = this.#engine;
    this.#engine.noteAnswered(view);
    await ready;
    const now = Date.now();
    const { revision, at = now, entries = transcript.length } = view;
    if (promptTokens === undefined) await this.#engine.run(() => core.stepWithoutUsage(revision, now));
    else await this.#engine.run(() => core.reportUsage(promptTokens, revision, at, entries, now));
  }

  async recordOverflow(error: unknown, view?: ViewStamp): Promise<OverflowReport> {
    const { core, ready, reader } = this.#engine;
    const refused = reader.overflow(error);
    if (!refused) return { overflow: false };
    await ready;
    const revision = view?.revision ?? core.viewRevision();
    const { stale, decision } = await this.#engine.run(() => core.overflow(revision, refused.limit ?? 0, Date.now()));
    return { overflow: true, stale, decision };
  }

  async credentialsChanged(): Promise<void> {
    await this.#engine.ready;
    await this.#engine.run(() => this.#engine.core.credentialsChanged(Date.now()));
  }

  async reset(): Promise<void> {
    await this.#engine.ready;
    await this.#engine.run(() => this.#engine.core.reset(Date.now()));
  }

  async records(): Promise<readonly StoredRecord[]> {
    await this.#engine.quiet();
    return this.#engine.run(() => this.#engine.core.records());
  }

  storage(): Promise<StorageReport> {
    return storageReport();
  }

  async remove(): Promise<void> {
    await this.#engine.run(() => this.#engine.core.remove());
    this.#engine.removed();
  }

  #useModel({ model, contextWindow }: ObserveOptions): void {
    if (contextWindow !== undefined && contextWindow !== this.#window) {
      branded(() => this.#engine.core.setWindow(contextWindow));
      this.#window = contextWindow;
    }
    if (model === undefined || model === this.#model) return;
    this.#engine.later(() => this.#engine.core.setModel(model, Date.now()));
    this.#model = model;
  }
}

function automatic(decision: Decision): ClaimKind | undefined {
  if (decision.action !== 'compact') return undefined;
  return decision.trigger === 'overflow' ? 'overflow' : 'auto';
}
