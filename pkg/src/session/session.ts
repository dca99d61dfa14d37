// The session object: each method hands itself to the level it belongs to.

import { overLine, type CommitDto } from '../boundary/glue.js';
import { isFault } from '../boundary/guard.js';
import type { Reader } from '../formats/reader.js';
import type { Advanced, CompactionEvent, Compaction, CompactOptions, CompactResult, Decision, Opened, PinResult, PrepareOptions, Session, SessionOptions, Snapshot, Step, Summarizer } from '../surface.js';
import { FullControl } from './advanced.js';
import type { Engine } from './engine.js';
import { failed, outcome } from './outcome.js';
import { compactByHand, compactWhenDue, prepareStep } from './prepare.js';
import { runCall, type Send } from './run.js';
import { STOPPED } from './stopped.js';

export class GovernedSession<M> implements Session<M> {
  readonly ready: Promise<Opened>;
  readonly advanced: Advanced<M>;
  /** The latest that `openSession` was given: a component that renders again passes functions that see its new state. */
  summarizers: readonly Summarizer<M>[] = [];
  readonly #engine: Engine<M>;
  readonly #reader: Reader<M>;
  readonly #forget: () => void;
  readonly #number: number;

  constructor(
    readonly id: string,
    engine: Engine<M>,
    forget: () => void,
  ) {
    this.ready = engine.ready;
    this.advanced = new FullControl(engine);
    this.#engine = engine;
    this.#reader = engine.reader;
    this.#forget = forget;
    this.#number = engine.core.number;
  }

  /** Whether a fault ended it: then `openSession` makes another one. */
  get stopped(): boolean {
    return this.#engine.life.over;
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
    return prepareStep(this, this.#reader, this.summarizers, messages, options);
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
    const over = overLine(this.#number) || (this.#engine.core.lookOverLine() ? 2 : 1);
    return over === 2 && this.#engine.core.shouldCompact(Date.now());
  }

  explain(): Decision {
    return this.stopped ? STOPPED : this.#engine.core.explain(Date.now());
  }

  history(): readonly Compaction[] {
    return this.#engine.core.history();
  }

  undo(compactionId?: string): Promise<CompactResult> {
    return this.#amended(() => this.#engine.core.undo(compactionId, Date.now()));
  }

  edit(compactionId: string, summary: string): Promise<CompactResult> {
    return this.#amended(() => this.#engine.core.edit(compactionId, summary, Date.now()));
  }

  async pin(what: string | { text: string }): Promise<PinResult> {
    const { core, transcript } = this.#engine;
    await this.#engine.quiet();
    if (typeof what !== 'string') return this.#engine.run(() => core.pinText(what.text, Date.now()));
    return this.#engine.run(async () => core.pinEntry(transcript.find(what), Date.now()));
  }

  async unpin(id: string): Promise<void> {
    const { core, transcript } = this.#engine;
    await this.#engine.quiet();
    const index = transcript.find(id);
    return this.#engine.run(() => (index < 0 ? core.unpin(id, Date.now()) : core.unpinEntry(index, Date.now())));
  }

  async close(): Promise<void> {
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

  async #amended(operation: () => Promise<CommitDto>): Promise<CompactResult> {
    await this.#engine.quiet();
    return outcome(await this.#engine.run(operation));
  }
}

/** A fault ended the session, not the conversation. */
function ended(error: unknown): CompactResult {
  if (isFault(error)) return failed(error, undefined);
  throw error;
}
