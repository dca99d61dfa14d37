// What the parts of one session share: the core, the reader, the transcript, and the order of what runs in the background.

import type { Core } from '../boundary/glue.js';
import { Life } from '../boundary/guard.js';
import { copies } from '../copies.js';
import { brand } from '../errors.js';
import type { Reader, TextCount } from '../formats/reader.js';
import type { Opened, View, ViewStamp } from '../surface.js';
import { textOf, type Carry } from './carry.js';
import { announceRemoval, Hints } from './hints.js';
import { Others, platformLocks, SessionLock, type Turn } from './locks.js';
import { askToPersist, isPersisted } from './persistence.js';
import { LEFT_OUT, redacted, type Redact } from './redact.js';
import { Transcript } from './transcript.js';
import { Views } from './view.js';
import { Watch, type Audience } from './watch.js';

/** What a session finds around it. */
export interface Surroundings {
  /** What a store in memory held went with the instance that a fault ended. */
  readonly lost: boolean;
  /** What it shares a lock and hints with. */
  readonly scope: string | undefined;
  /** The browser is to be asked to keep the storage. */
  readonly persist: boolean;
  /** One object has the store to itself. */
  readonly alone: boolean;
  readonly count: TextCount;
  readonly audience: Audience;
}

export class Engine<M> {
  readonly ready: Promise<Opened>;
  readonly transcript: Transcript<M>;
  readonly views: Views<M>;
  readonly watch: Watch;
  readonly lock: SessionLock;
  /** The latest that `openSession` was given. */
  carry: Carry | undefined;
  redact: Redact | undefined;
  /** The last prompt that was answered: what the provider's prompt cache may still hold. */
  sent: View<M> | undefined;
  /** The instance that the core lives in. */
  readonly life = Life.current;
  readonly #hints: Hints;
  readonly #scope: string | undefined;
  /** The revision that other tabs were told of. */
  #told = 0;
  readonly #learners = new Set<() => void>();
  /** Ends what {@link #keep} began. */
  readonly #keeping: () => void;
  #lockFails = false;
  #refreshing = false;
  #background: Promise<void>;

  constructor(
    readonly core: Core,
    readonly reader: Reader<M>,
    { lost, scope, persist, alone, count, audience }: Surroundings,
  ) {
    this.transcript = new Transcript(core, reader, count);
    this.views = new Views(core, reader, this.transcript);
    this.watch = new Watch(core, this.life, alone ? undefined : () => this.later(() => core.settle(Date.now())), audience);
    this.lock = new SessionLock(scope, platformLocks, alone ? Others.idle : Others.unknown);
    this.#scope = scope;
    this.#hints = new Hints(scope, { revision: () => core.revision(), refresh: () => this.#refresh() });
    const opened = this.run(() => core.open(Date.now())).catch((): Opened => ({ found: 'lost', durability: 'degraded' }));
    this.ready = opened.then((found): Opened => (lost ? { ...found, found: 'lost' } : found));
    this.#background = this.ready.then(() => undefined);
    void this.ready.then(() => this.#tellOfCopies());
    this.#keeping = persist ? this.#keep() : ignore;
  }

  #tellOfCopies(): void {
    const versions = copies();
    if (versions.length > 1) this.watch.tell({ type: 'two_copies', versions: [...versions] });
  }

  /** Shows whether the browser keeps the storage, and asks it to once there is a summary to lose. Nothing waits for the answer. */
  #keep(): () => void {
    const show = (persisted: boolean | undefined): void => this.watch.notePersisted(persisted);
    void isPersisted().then(show);
    return this.watch.on((event) => {
      if (event.type === 'compaction' && event.status === 'completed') void askToPersist().then(show);
    });
  }

  /** The texts as they may leave this page, or be stored. */
  async withoutSecrets(texts: readonly string[]): Promise<string[]> {
    return (await redacted(this.redact, texts)).map((text) => text ?? LEFT_OUT);
  }

  /** A summary as it may be stored; undefined where that is not known. */
  async summaryWithoutSecrets(text: string): Promise<string | undefined> {
    return (await redacted(this.redact, [text]))[0];
  }

  /** A call made from `view` was answered. */
  noteAnswered(view: ViewStamp): void {
    const { latest } = this.views;
    if (view === latest) this.sent = latest;
  }

  /** What is to stand behind the summary of `compactionId`, as the host wants it now. */
  carryFor(compactionId: string): string {
    return textOf(this.carry, () => this.watch.tell({ type: 'carry_refused', compactionId, reason: 'failed' }));
  }

  /** Runs an operation of the core to its end and tells whoever watches. It rejects only for what was asked, never for the store. */
  async run<T>(operation: () => Promise<T>): Promise<T> {
    try {
      return await this.life.outlived(operation);
    } catch (error) {
      throw brand(error);
    } finally {
      this.#announce();
      if (!this.life.over) for (const learn of [...this.#learners]) learn();
      this.watch.changed();
    }
  }

  /** Runs `operation` after the record was loaded and after what was asked for before. A store's failure shows in the snapshot. */
  later(operation: () => Promise<unknown>): void {
    this.#background = this.#background.then(() => this.run(operation)).then(ignore, ignore);
  }

  /** Calls `learn` after every operation: what it found in the store is known by then. Returns what ends that. */
  whenLearned(learn: () => void): () => void {
    this.#learners.add(learn);
    return () => void this.#learners.delete(learn);
  }

  /** Asks for the session's lock. A lock manager that fails is told of once. */
  async turn(): Promise<Turn> {
    const turn = await this.lock.take();
    const fails = turn.failure !== undefined;
    if (fails && !this.#lockFails) this.watch.tell({ type: 'lock_failed', cause: turn.failure?.error });
    this.#lockFails = fails;
    if (turn.others === Others.working) this.lock.whenFree(() => this.later(() => this.#lookAfterHolder()));
    return turn;
  }

  /** The records are gone: other tabs are to forget them too, instead of writing theirs again. */
  removed(): void {
    this.#told = 0;
    announceRemoval(this.#scope);
  }

  /** Ends what is for other tabs. What is still going on goes on, and may be taken over. */
  close(): void {
    this.leave();
    this.watch.close();
  }

  /** The same, for another one that takes its place before those who watch. */
  leave(): void {
    this.lock.close();
    this.#hints.close();
    this.#keeping();
  }

  /** Resolves when everything that {@link later} was given has run. */
  quiet(): Promise<void> {
    return this.#background;
  }

  #announce(): void {
    if (this.life.over) return;
    const revision = this.core.revision();
    if (revision > this.#told) this.#hints.announce(revision);
    this.#told = revision;
  }

  /** Who held the lock has let go of it: with its attempt ended, or by dying in the midst of it. */
  async #lookAfterHolder(): Promise<void> {
    await this.core.refresh(Date.now());
    this.#told = this.core.revision();
    if (this.core.snapshot(Date.now()).phase !== 'compacting') return;
    const turn = await this.lock.take();
    if (turn.others === Others.idle) await this.core.takeOver(Date.now()).finally(() => turn.release());
  }

  /** Looks at the store, once for as many hints as come before it has. What it finds is not passed on as news. */
  #refresh(): void {
    if (this.#refreshing) return;
    this.#refreshing = true;
    this.later(async () => {
      this.#refreshing = false;
      await this.core.refresh(Date.now());
      this.#told = this.core.revision();
    });
  }
}

function ignore(): void {}
