// One claimed attempt: the request it makes, and its one end.

import type { CommitDto, PlanDto, RequestDto } from '../boundary/glue.js';
import { branded, compactionError } from '../errors.js';
import type { Reply } from '../formats/reader.js';
import type { CompactionError, CompactResult, FailureClass, Plan, SummarizerLimits, SummaryRequest, Trigger, Unfinished } from '../surface.js';
import type { Engine } from './engine.js';
import { failed, outcome, refusal } from './outcome.js';
import { joinedOf, LONE_SURROGATE } from './joined.js';
import { Timer } from './timer.js';

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
  readonly #focus: string | undefined;
  readonly #ended: () => void;
  readonly #lengthMs: number;
  readonly #timer = new Timer();
  readonly #late = new AbortController();
  #deadline: number;
  #limits: SummarizerLimits = {};
  #request: SummaryRequest<M> | undefined;
  #spent = 0;
  /** The reply whose usage was counted last: one that is looked at and then committed was paid for once. */
  #counted: unknown;

  constructor(engine: Engine<M>, claimed: PlanDto, focus: string | undefined, ended: () => void) {
    this.compactionId = claimed.compactionId;
    this.trigger = claimed.trigger;
    this.means = claimed.means;
    this.entries = claimed.entries;
    this.tokens = claimed.tokens;
    this.promisedTokens = claimed.promisedTokens;
    this.#engine = engine;
    this.#slice = sliceOf(engine, claimed);
    this.#through = engine.transcript.id(claimed.cut - 1);
    this.#focus = focus === undefined ? undefined : engine.withoutSecrets(focus);
    this.#ended = ended;
    this.#deadline = claimed.deadline;
    this.#lengthMs = claimed.deadline - Date.now();
    this.#setDeadline(claimed.deadline);
  }

  get deadline(): number {
    return this.#deadline;
  }

  get request(): SummaryRequest<M> {
    return (this.#request ??= this.requestFor({}));
  }

  requestFor(limits: SummarizerLimits): SummaryRequest<M> {
    this.#limits = limits;
    const { joined, offsets, until } = this.#slice;
    const sent = limits.ownModel === true ? this.#engine.sent : undefined;
    const { contextWindow = 0, maxOutputTokens = 0 } = limits;
    const { revision, entries, at } = sent ?? NOT_SENT;
    const asked = branded(() =>
      this.#engine.core.request(this.compactionId, joined, offsets, this.#focus, until, contextWindow, maxOutputTokens, revision, entries, at, Date.now()),
    );
    this.#request = {
      mode: asked.mode,
      messages: this.#messages(asked, sent?.messages),
      maxTokens: asked.maxTokens,
      signal: this.#late.signal,
      compactionId: this.compactionId,
    };
    return this.#request;
  }

  refusal(reply: unknown): { readonly code: string; readonly message: string } | undefined {
    const { text, finish } = this.#read(reply);
    return branded(() => this.#engine.core.refusal(this.compactionId, text, finish));
  }

  async commit(reply: unknown): Promise<CompactResult | Unfinished<M>> {
    const { core } = this.#engine;
    const { text, finish } = this.#read(reply);
    if (branded(() => core.take(this.compactionId, text, finish))) return this.#next();
    const carry = this.#engine.carryFor(this.compactionId);
    const { joined, offsets, tail } = this.#slice;
    return this.#end(() => core.commit(this.compactionId, text, finish, this.#spent, Date.now(), joined, offsets, tail, carry, this.#through));
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

  /** The next request may not fit where the one before did: the summary so far goes in as well. */
  async #next(): Promise<CompactResult | Unfinished<M>> {
    try {
      return { status: 'unfinished', request: this.requestFor(this.#limits) };
    } catch (error) {
      return this.fail(error);
    }
  }

  #messages(asked: RequestDto, sent: readonly M[] | undefined): M[] {
    const { reader } = this.#engine;
    return asked.mode === 'separate' ? reader.requestMessages(asked.system, asked.user) : [...(sent ?? []), reader.instruction(asked.user)];
  }

  #read(reply: unknown): Reply {
    const read = this.#engine.reader.reply(reply);
    if (reply !== this.#counted) this.#spent += read.usage ? read.usage.promptTokens + read.usage.outputTokens : 0;
    this.#counted = reply;
    return { ...read, text: this.#engine.withoutSecrets(read.text) };
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
  /** The text of the first entry that stays. */
  readonly until: string | undefined;
  /** The text of all that stays. */
  readonly tail: string;
}

function sliceOf<M>(engine: Engine<M>, { material, cut }: PlanDto): Slice {
  const { transcript } = engine;
  const text = (index: number): string => engine.withoutSecrets(transcript.text(index)).replace(LONE_SURROGATE, '\ufffd');
  const texts: string[] = [];
  for (let pair = 0; pair + 1 < material.length; pair += 2) {
    const [from = 0, to = 0] = material.slice(pair, pair + 2);
    for (let i = from; i < to; i++) texts.push(text(i));
  }
  const stays = Array.from({ length: Math.max(0, transcript.length - cut) }, (_, i) => text(cut + i));
  return { ...joinedOf(texts), until: stays[0], tail: stays.join('\n') };
}

function summarizerFailed(failureClass: FailureClass, cause: unknown): CompactionError {
  const code = failureClass === 'no_summarizer' ? failureClass : `summarizer_${failureClass}`;
  const message = `the summary could not be written (${failureClass}); the conversation stands as it was; see cause, and explain() for when it is tried again`;
  const error = compactionError(code, message, { retryable: failureClass !== 'no_summarizer' });
  return Object.assign(error, { cause });
}

/** No prompt of the conversation's own model is to be built on. */
const NOT_SENT = { revision: -1, entries: 0, at: 0 };
