// One model call: the view it was made from, and the one report of how it ended.

import { isFault } from '../boundary/guard.js';
import type { Reader, Usage } from '../formats/reader.js';
import type { Advanced, Decision, OverflowReport, Step, UsageSource, View } from '../surface.js';
import { tap } from '../stream/tap.js';

export class PreparedStep<M> implements Step<M> {
  readonly messages: M[];
  readonly stablePrefix: number;
  readonly #advanced: Advanced<M>;
  readonly #reader: Pick<Reader<M>, 'usage'>;
  readonly #view: View<M>;
  #reported: Promise<void> | undefined;
  #tapped = false;

  constructor(
    advanced: Advanced<M>,
    reader: Pick<Reader<M>, 'usage'>,
    view: View<M>,
    readonly decision: Decision,
    readonly compacted: boolean,
  ) {
    this.messages = view.messages;
    this.stablePrefix = view.stablePrefix;
    this.#advanced = advanced;
    this.#reader = reader;
    this.#view = view;
  }

  async done(reply: UsageSource): Promise<void> {
    if (this.#tapped) return;
    return this.#report(this.#reader.usage(reply));
  }

  tap<T extends object>(stream: T): T {
    if (this.#tapped || this.#reported) return stream;
    this.#tapped = true;
    return tap(stream, (source) => this.#reader.usage(source), (usage) => void this.#report(usage));
  }

  async failed(error: unknown): Promise<'retry' | 'rethrow'> {
    const report = await this.#advanced.recordOverflow(error, this.#view).catch(ungoverned);
    if (!report.overflow) return 'rethrow';
    return report.stale || report.decision.action === 'compact' ? 'retry' : 'rethrow';
  }

  /** Once per call: a second report of the same usage would be a second step. */
  #report(usage: Usage | undefined): Promise<void> {
    return (this.#reported ??= this.#advanced.recordUsage(usage?.promptTokens, this.#view).catch(() => undefined));
  }
}

/** The provider's error is the host's to hear of, not that of a session that has ended. */
function ungoverned(error: unknown): OverflowReport {
  if (isFault(error)) return { overflow: false };
  throw error;
}
