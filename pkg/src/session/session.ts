// The session object: each method hands itself to the level it belongs to.

import { overLine, type CommitDto } from '../boundary/glue.js';
import { isFault } from '../boundary/guard.js';
import type { Advanced, CompactionEvent, Compaction, CompactOptions, CompactResult, Decision, Opened, PinResult, PrepareOptions, Session, SessionOptions, Snapshot, Step, Summarizer } from '../surface.js';
import { FullControl } from './advanced.js';
import type { Engine } from './engine.js';
import { failed, outcome } from './outcome.js';
import { compactByHand, compactWhenDue, prepareStep } from './prepare.js';
import { runCall, type Send } from './run.js';
import { STOPPED } from './stopped.js';

export class GovernedSession<M> implements Session<M> {
  /** The latest that `openSession` was given: a component that renders again passes functions that see its new state. */
  summarizers: readonly Summarizer<M>[] = [];
  readonly #begin: (again: boolean) => Engine<M>;
  readonly #forget: () => void;
  #engine: Engine<M>;
  #advanced: Advanced<M>;
  #number: number;
  #closed = false;
  #begunAgain = -Infinity;

  /** `begin` makes what it works with: once, and `again` behind each fault. */
  constructor(
    readonly id: string,
    begin: (again: boolean) => Engine<M>,
    forget: () => void,
  ) {
    this.#begin = begin;
    this.#forget = forget;
    this.#engine = begin(false);
    this.#advanced = new FullControl(this.#engine);
    this.#number = this.#engine.core.number;
  }

  get ready(): Promise<Opened> {
    return this.#living().ready;
  }

  get advanced(): Advanced<M> {
    this.#living();
    return this.#advanced;
  }

  /** Goes on from what is stored, if a fault ended what it worked with. */
  beginAgain(): void {
    const before = this.#engine;
    if (!before.life.over) return;
    this.#begunAgain = Date.now();
    before.leave();
    this.#engine = this.#begin(true);
    this.#engine.carry = before.carry;
    this.#engine.redact = before.redact;
    this.#advanced = new FullControl(this.#engine);
    this.#number = this.#engine.core.number;
  }

  /** As with the summarisers: the latest that `openSession` was given. */
  set carry(carry: SessionOptions['carry']) {
    this.#engine.carry = carry;
  }

  set redact(redact: SessionOptions['redact']) {
    this.#engine.redact = redact;
  }

  run<R>(messages: readonly M[], send: Send<M, R>, options?: PrepareOptions): Promise<R> {
    return runCall(this, messages, send, options);
  }

  prepare(messages: readonly M[], options?: PrepareOptions): Promise<Step<M>> {
    return prepareStep(this, this.#engine.reader, this.summarizers, messages, options);
  }

  compact(messages: readonly M[], options?: CompactOptions): Promise<CompactResult> {
    return compactByHand(this, this.summarizers, messages, options).catch(ended);
  }

  compactWhenDue(messages: readonly M[], options?: PrepareOptions): Promise<CompactResult> {
    return compactWhenDue(this, this.summarizers, messages, options).catch(ended);
  }

  getSnapshot(): Snapshot {
    return this.#engine.watch.snapshot();
  }

  subscribe(listener: () => void): () => void {
    return this.#engine.watch.subscribe(listener);
  }

  on(listener: (event: CompactionEvent) => void): () => void {
    return this.#engine.watch.on(listener);
  }

  /** Below the line no clock is read: nothing that time changes can make a pass due there. */
  shouldCompact(): boolean {
    if (this.#engine.life.over) return false;
    const over = overLine(this.#number);
    return over !== 1 && this.#isDue(over);
  }

  explain(): Decision {
    const { core, life } = this.#engine;
    return life.lived(() => core.explain(Date.now()), () => STOPPED);
  }

  history(): readonly Compaction[] {
    return this.#engine.core.history();
  }

  undo(compactionId?: string): Promise<CompactResult> {
    return this.#amended((core) => core.undo(compactionId, Date.now()));
  }

  edit(compactionId: string, summary: string): Promise<CompactResult> {
    return this.#amended((core) => core.edit(compactionId, summary, Date.now()));
  }

  async pin(what: string | { text: string }): Promise<PinResult> {
    const engine = this.#living();
    const { core, transcript } = engine;
    await engine.quiet();
    if (typeof what !== 'string') return engine.run(() => core.pinText(what.text, Date.now()));
    return engine.run(async () => core.pinEntry(transcript.find(what), Date.now()));
  }

  async unpin(id: string): Promise<void> {
    const engine = this.#living();
    const { core, transcript } = engine;
    await engine.quiet();
    const index = transcript.find(id);
    return engine.run(() => (index < 0 ? core.unpin(id, Date.now()) : core.unpinEntry(index, Date.now())));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#forget();
    await this.flush();
    this.#engine.close();
  }

  /** Writes what is unsaved. */
  async flush(): Promise<void> {
    this.#engine.later(() => this.#engine.core.settle(Date.now()));
    await this.#engine.quiet();
  }

  /** Removes what the store holds and what this object remembers of it; the next `openSession` makes another one. */
  async removeAndForget(): Promise<void> {
    this.#forget();
    await this.advanced.remove();
  }

  /** Apart, so that no closure is made ready below the line. */
  #isDue(over: number): boolean {
    const { core, life } = this.#engine;
    return life.lived(() => (over === 2 || core.lookOverLine()) && core.shouldCompact(Date.now()), () => false);
  }

  async #amended(operation: (core: Engine<M>['core']) => Promise<CommitDto>): Promise<CompactResult> {
    const engine = this.#living();
    await engine.quiet();
    return outcome(await engine.run(() => operation(engine.core)));
  }

  /**
   * What it works with. Behind a fault that begins again by itself, once a minute: a fault takes all sessions of the
   * instance along, and a record that ends every instance is not to do so with every call.
   */
  #living(): Engine<M> {
    const rested = Math.abs(Date.now() - this.#begunAgain) >= REST_MS;
    if (this.#engine.life.over && rested && !this.#closed) this.beginAgain();
    return this.#engine;
  }
}

const REST_MS = 60_000;

/** A fault ended the session, not the conversation. */
function ended(error: unknown): CompactResult {
  if (isFault(error)) return failed(error, undefined);
  throw error;
}
