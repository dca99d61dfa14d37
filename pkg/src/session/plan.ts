// One claimed attempt: the request it makes, and its one end.

import type { CommitDto, PlanDto } from '../boundary/glue.js';
import { branded, compactionError } from '../errors.js';
import type { CompactionError, CompactResult, FailureClass, Plan, SummaryRequest, Trigger } from '../surface.js';
import type { Engine } from './engine.js';
import { failed, outcome, refusal } from './outcome.js';
import { Timer } from './timer.js';
import type { Transcript } from './transcript.js';

export class ClaimedPlan<M> implements Plan<M> {
  readonly compactionId: string;
  readonly trigger: Trigger;
  readonly means: 'model' | 'last_resort';
  readonly entries: number;
  readonly tokens: number;
  readonly promisedTokens: number;
  readonly #engine: Engine<M>;
  readonly #slice: Slice;
  /** The id of the last message that the summary will cover. */
  readonly #through: string;
  readonly #maxTokens: number;
  readonly #focus: string | undefined;
  readonly #ended: () => void;
  readonly #lengthMs: number;
  readonly #timer = new Timer();
  readonly #late = new AbortController();
  #deadline: number;
  #request: SummaryRequest<M> | undefined;

  constructor(engine: Engine<M>, claimed: PlanDto, focus: string | undefined, ended: () => void) {
    this.compactionId = claimed.compactionId;
    this.trigger = claimed.trigger;
    this.means = claimed.means;
    this.entries = claimed.entries;
    this.tokens = claimed.tokens;
    this.promisedTokens = claimed.promisedTokens;
    this.#engine = engine;
    this.#slice = sliceOf(engine.transcript, claimed);
    this.#through = engine.transcript.id(claimed.cut - 1);
    this.#maxTokens = claimed.maxTokens;
    this.#focus = focus;
    this.#ended = ended;
    this.#deadline = claimed.deadline;
    this.#lengthMs = claimed.deadline - Date.now();
    this.#setDeadline(claimed.deadline);
  }

  get deadline(): number {
    return this.#deadline;
  }

  get request(): SummaryRequest<M> {
    return (this.#request ??= this.#buildRequest());
  }

  async commit(reply: unknown): Promise<CompactResult> {
    const { core, reader } = this.#engine;
    const { text, finish, usage } = reader.reply(reply);
    const spent = usage ? usage.promptTokens + usage.outputTokens : 0;
    const carry = this.#engine.carryFor(this.compactionId);
    return this.#end(() => core.commit(this.compactionId, text, finish, spent, Date.now(), carry, this.#through));
  }

  async commitPlain(): Promise<CompactResult> {
    const { joined, offsets } = this.#slice;
    const carry = this.#engine.carryFor(this.compactionId);
    return this.#end(() => this.#engine.core.commitFallback(this.compactionId, joined, offsets, Date.now(), carry, this.#through));
  }

  async fail(error: unknown): Promise<CompactResult> {
    const { core, reader } = this.#engine;
    const now = Date.now();
    const { failureClass, retryAfterMs } = reader.failure(error, now);
    const { fallback, retryAt } = await this.#engine.run(() => core.fail(this.compactionId, failureClass, retryAfterMs, now));
    if (fallback) return this.commitPlain();
    this.#close();
    return failed(summarizerFailed(failureClass, error), retryAt);
  }

  async cancel(): Promise<CompactResult> {
    await this.#engine.run(() => this.#engine.core.cancel(this.compactionId, Date.now()));
    this.#close();
    return failed(compactionError('cancelled', 'the summary was given up by its signal; the conversation stands as it was; nothing is to be done', { retryable: true }), undefined);
  }

  async renew(): Promise<boolean> {
    const now = Date.now();
    const renewed = await this.#engine.run(() => this.#engine.core.renew(this.compactionId, now));
    if (renewed) this.#setDeadline(now + this.#lengthMs);
    return renewed;
  }

  async #end(operation: () => Promise<CommitDto>): Promise<CompactResult> {
    const result = await this.#engine.run(operation).then(outcome, refusal);
    this.#close();
    return result;
  }

  #buildRequest(): SummaryRequest<M> {
    const { joined, offsets } = this.#slice;
    const { system, user } = branded(() => this.#engine.core.request(this.compactionId, joined, offsets, this.#focus));
    return {
      mode: 'separate',
      messages: this.#engine.reader.requestMessages(system, user),
      maxTokens: this.#maxTokens,
      signal: this.#late.signal,
      compactionId: this.compactionId,
    };
  }

  #setDeadline(deadline: number): void {
    this.#deadline = deadline;
    this.#timer.set(() => this.#late.abort(), deadline - Date.now());
  }

  #close(): void {
    this.#timer.clear();
    this.#ended();
  }
}

/** The text of the slice, taken at the claim: the conversation may go on while it is summarised. */
interface Slice {
  readonly joined: string;
  /** UTF-16 offsets of each entry's beginning, and the end. */
  readonly offsets: Uint32Array;
}

function sliceOf(transcript: Pick<Transcript, 'text'>, { material }: PlanDto): Slice {
  const texts: string[] = [];
  for (let pair = 0; pair + 1 < material.length; pair += 2) {
    const [from = 0, to = 0] = material.slice(pair, pair + 2);
    for (let i = from; i < to; i++) texts.push(transcript.text(i).replace(LONE_SURROGATE, '\ufffd'));
  }
  const offsets = new Uint32Array(texts.length + 1);
  texts.forEach((text, i) => (offsets[i + 1] = (offsets[i] ?? 0) + text.length));
  return { joined: texts.join(''), offsets };
}

function summarizerFailed(failureClass: FailureClass, cause: unknown): CompactionError {
  const code = failureClass === 'no_summarizer' ? failureClass : `summarizer_${failureClass}`;
  const message = `the summary could not be written (${failureClass}); the conversation stands as it was; see cause, and explain() for when it is tried again`;
  const error = compactionError(code, message, { retryable: failureClass !== 'no_summarizer' });
  return Object.assign(error, { cause });
}

/** Half a character would join with the next entry's first half, and the offset between them would be none. */
const LONE_SURROGATE = /\p{Surrogate}/gu;
