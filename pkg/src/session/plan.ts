// One claimed attempt: the request it makes, and its one end.

import type { CommitDto, PlanDto, RequestDto } from '../boundary/glue.js';
import { branded, compactionError } from '../errors.js';
import type { Reply } from '../formats/reader.js';
import type { CompactionError, CompactResult, FailureClass, Plan, SummarizerLimits, SummaryRequest, Trigger, Unfinished } from '../surface.js';
import type { Engine } from './engine.js';
import { failed, outcome, refusal } from './outcome.js';
import type { Turn } from './locks.js';
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
  readonly #turn: Pick<Turn, 'release'>;
  readonly #ended: () => void;
  readonly #lengthMs: number;
  readonly #timer = new Timer();
  readonly #late = new AbortController();
  #deadline: number;
  #limits: SummarizerLimits = {};
  #request: SummaryRequest<M> | undefined;
  /** What was asked for last is a part of the slice, whose text is on the other side. */
  #held = false;
  /** It is on its way to its own end: nothing is to be told of it any more. */
  #ending = false;
  readonly #letGo: () => void;
  /** The reply that was read last: one that is looked at and then committed is checked once, and was paid for once. */
  #latest: { readonly reply: unknown; readonly read: Promise<Reply | undefined> } | undefined;

  constructor(engine: Engine<M>, claimed: PlanDto, slice: Slice, turn: Pick<Turn, 'release'>, ended: () => void) {
    this.compactionId = claimed.compactionId;
    this.trigger = claimed.trigger;
    this.means = claimed.means;
    this.entries = claimed.entries;
    this.tokens = claimed.tokens;
    this.promisedTokens = claimed.promisedTokens;
    this.#engine = engine;
    this.#slice = slice;
    this.#turn = turn;
    this.#ended = ended;
    this.#deadline = claimed.deadline;
    this.#lengthMs = claimed.deadline - Date.now();
    this.#setDeadline(claimed.deadline);
    this.#letGo = engine.whenLearned(() => this.#look());
  }

  get deadline(): number {
    return this.#deadline;
  }

  get request(): SummaryRequest<M> {
    return (this.#request ??= this.requestFor({}));
  }

  requestFor(limits: SummarizerLimits): SummaryRequest<M> {
    this.#limits = limits;
    return this.#ask(limits, this.#slice);
  }

  #ask(limits: SummarizerLimits, { joined, offsets }: Texts): SummaryRequest<M> {
    const { until, focus } = this.#slice;
    const sent = limits.ownModel === true ? this.#engine.sent : undefined;
    const { contextWindow = 0, maxOutputTokens = 0 } = limits;
    const { revision, entries, at } = sent ?? NOT_SENT;
    const asked = branded(() =>
      this.#engine.core.request(this.compactionId, joined, offsets, focus, until, contextWindow, maxOutputTokens, revision, entries, at, Date.now()),
    );
    this.#held = asked.mode === 'separate' && asked.more;
    this.#request = {
      mode: asked.mode,
      messages: this.#messages(asked, sent?.messages),
      maxTokens: asked.maxTokens,
      signal: this.#late.signal,
      compactionId: this.compactionId,
    };
    return this.#request;
  }

  async refusal(reply: unknown): Promise<{ readonly code: string; readonly message: string } | undefined> {
    const read = await this.#read(reply);
    if (read === undefined) return unchecked();
    const { text, finish } = read;
    return branded(() => this.#engine.core.refusal(this.compactionId, text, finish));
  }

  async commit(reply: unknown): Promise<CompactResult | Unfinished<M>> {
    const { core } = this.#engine;
    const read = await this.#read(reply);
    if (read === undefined) return this.fail(unchecked());
    const { text, finish } = read;
    if (branded(() => core.take(this.compactionId, text, finish))) return this.#next();
    const carry = this.#engine.carryFor(this.compactionId);
    const { joined, offsets, tail, through } = this.#slice;
    return this.#end(() => core.commit(this.compactionId, text, finish, Date.now(), joined, offsets, tail, carry, through));
  }

  async commitPlain(): Promise<CompactResult> {
    const { joined, offsets, through } = this.#slice;
    const carry = this.#engine.carryFor(this.compactionId);
    return this.#end(() => this.#engine.core.commitFallback(this.compactionId, joined, offsets, Date.now(), carry, through));
  }

  async fail(error: unknown): Promise<CompactResult> {
    const { core, reader } = this.#engine;
    const now = Date.now();
    const { failureClass, retryAfterMs } = reader.failure(error, now);
    const overtaken = this.#overtaken();
    this.#ending = true;
    const { fallback, retryAt } = await this.#engine.run(() => core.fail(this.compactionId, failureClass, retryAfterMs, now));
    if (fallback) return this.commitPlain();
    this.#close();
    if (overtaken) return outcome({ status: 'superseded' });
    return failed(summarizerFailed(failureClass, error), retryAt);
  }

  async cancel(): Promise<CompactResult> {
    this.#ending = true;
    await this.#engine.run(() => this.#engine.core.cancel(this.compactionId, Date.now())).finally(() => this.#close());
    return failed(compactionError('cancelled', 'the summary was given up by its signal; the conversation stands as it was; nothing is to be done', { retryable: true }), undefined);
  }

  async renew(): Promise<boolean> {
    const now = Date.now();
    const renewed = await this.#engine.run(() => this.#engine.core.renew(this.compactionId, now));
    if (renewed) this.#setDeadline(now + this.#lengthMs);
    return renewed;
  }

  async #end(operation: () => Promise<CommitDto>): Promise<CompactResult> {
    this.#ending = true;
    try {
      return await this.#engine.run(operation).then(outcome, refusal);
    } finally {
      this.#close();
    }
  }

  /** The next request may not fit where the one before did: the summary so far goes in as well. */
  async #next(): Promise<CompactResult | Unfinished<M>> {
    try {
      return { status: 'unfinished', request: this.#ask(this.#limits, this.#held ? HELD : this.#slice) };
    } catch (error) {
      return this.fail(error);
    }
  }

  #messages(asked: RequestDto, sent: readonly M[] | undefined): M[] {
    const { reader } = this.#engine;
    return asked.mode === 'separate' ? reader.requestMessages(asked.system, asked.user) : [...(sent ?? []), reader.instruction(asked.user)];
  }

  /** Undefined where nobody can say whether there are secrets in it. */
  #read(reply: unknown): Promise<Reply | undefined> {
    if (this.#latest !== undefined && this.#latest.reply === reply) return this.#latest.read;
    const given = this.#engine.reader.reply(reply);
    const { promptTokens = 0, outputTokens = 0 } = given.usage ?? {};
    branded(() => this.#engine.core.paid(promptTokens + outputTokens));
    const read = this.#engine.summaryWithoutSecrets(given.text).then((text) => (text === undefined ? undefined : { ...given, text }));
    this.#latest = { reply, read };
    return read;
  }

  /** Another tab works on it, or has ended it: what is still being written here would be thrown away, and paid for. */
  #look(): void {
    if (!this.#ending && this.#overtaken()) this.#late.abort();
  }

  /** The last resort calls no model, and nobody can take it over. */
  #overtaken(): boolean {
    return this.means === 'model' && !this.#engine.core.runs(this.compactionId);
  }

  #setDeadline(deadline: number): void {
    this.#deadline = deadline;
    this.#timer.set(() => {
      // Whoever is slower than this is taken for gone.
      this.#turn.release();
      this.#late.abort();
    }, deadline - Date.now());
  }

  #close(): void {
    this.#letGo();
    this.#timer.clear();
    this.#turn.release();
    this.#ended();
  }
}

interface Texts {
  /** Undefined where the other side holds both. */
  readonly joined: string | undefined;
  /** UTF-16 offsets of each entry's beginning, and the end. */
  readonly offsets: Uint32Array;
}

/** The text of the slice, taken at the claim: the conversation may go on while it is summarised. */
interface Slice extends Texts {
  readonly joined: string;
  /** The text of the first entry that stays. */
  readonly until: string | undefined;
  /** The text of all that stays. */
  readonly tail: string;
  /** The id of the last message that the summary will cover. */
  readonly through: string;
  readonly focus: string | undefined;
}

/** Everything is taken before anything is waited for. */
export async function sliceOf<M>(engine: Engine<M>, { material, cut }: PlanDto, focus: string | undefined): Promise<Slice> {
  const { transcript } = engine;
  const places: number[] = [];
  for (let pair = 0; pair + 1 < material.length; pair += 2) {
    const [from = 0, to = 0] = material.slice(pair, pair + 2);
    for (let i = from; i < to; i++) places.push(i);
  }
  const count = places.length;
  for (let i = cut; i < transcript.length; i++) places.push(i);
  const through = transcript.id(cut - 1);
  const given = [...places.map((index) => transcript.text(index)), ...(focus === undefined ? [] : [focus])];
  const texts = (await engine.withoutSecrets(given)).map((text) => text.replace(LONE_SURROGATE, '\ufffd'));
  const stays = texts.slice(count, places.length);
  return { ...joinedOf(texts.slice(0, count)), until: stays[0], tail: stays.join('\n'), through, focus: texts[places.length] };
}

function unchecked(): CompactionError {
  return compactionError('redaction_failed', 'the summary could not be checked for secrets, since redact threw, gave no text or did not answer; it is not used; look into redact', { retryable: true });
}

function summarizerFailed(failureClass: FailureClass, cause: unknown): CompactionError {
  const code = failureClass === 'no_summarizer' ? failureClass : `summarizer_${failureClass}`;
  const message = `the summary could not be written (${failureClass}); the conversation stands as it was; see cause, and explain() for when it is tried again`;
  const error = compactionError(code, message, { retryable: failureClass !== 'no_summarizer' });
  return Object.assign(error, { cause });
}

/** No prompt of the conversation's own model is to be built on. */
const NOT_SENT = { revision: -1, entries: 0, at: 0 };
const HELD: Texts = { joined: undefined, offsets: new Uint32Array() };
