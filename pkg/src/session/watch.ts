// What others see of a session: a cached snapshot, listeners, and a timer for what changes by itself.

import type { Core } from '../boundary/glue.js';
import type { Life } from '../boundary/guard.js';
import { isFields } from '../formats/shape/json.js';
import type { CompactionError, CompactionEvent, Snapshot } from '../surface.js';
import { weak, whenDropped } from '../weak.js';
import { lastSnapshot } from './stopped.js';
import { Timer } from './timer.js';

/** Who watches: they stay when a session begins anew behind a fault. */
export class Audience {
  readonly subscribers = new Set<() => void>();
  readonly listeners = new Set<(event: CompactionEvent) => void>();
}

export class Watch {
  readonly #core: Core;
  readonly #life: Life;
  /** Called when `wakeAt` has come; without it no timer is set. */
  readonly #wake: (() => void) | undefined;
  readonly #audience: Audience;
  readonly #timer = new Timer();
  readonly #letGo: () => void;
  #cached: { readonly version: number; readonly snapshot: Snapshot; readonly until: number } | undefined;
  /** What is shown once the core is gone. */
  #last: Snapshot | undefined;
  #persisted: boolean | undefined;
  #announced = -1;
  #scheduled = false;

  constructor(core: Core, life: Life, wake: (() => void) | undefined, audience: Audience) {
    this.#core = core;
    this.#life = life;
    // An instance outlives its sessions: one that was dropped without being closed is not kept by it.
    const self = weak(this);
    this.#letGo = life.whenOver((error) => self()?.stop(error));
    whenDropped(this, this.#letGo);
    this.#wake = wake;
    this.#audience = audience;
  }

  /** The same object until the core's version or, at `wakeAt`, the decision changes. */
  snapshot(): Snapshot {
    return this.#life.lived(() => this.#current(), () => (this.#last ??= lastSnapshot(this.#cached?.snapshot)));
  }

  #current(): Snapshot {
    const version = this.#core.version();
    const cached = this.#cached;
    if (cached?.version === version && (cached.until === Infinity || Date.now() < cached.until)) return cached.snapshot;
    const now = Date.now();
    const persisted = this.#persisted;
    const snapshot = Object.freeze({ ...this.#core.snapshot(now), ...(persisted === undefined ? {} : { persisted }) });
    // A wake-up that has passed already would make every call a new object, and React render for ever.
    const until = snapshot.wakeAt !== undefined && snapshot.wakeAt > now ? snapshot.wakeAt : Infinity;
    this.#cached = { version, snapshot, until };
    return snapshot;
  }

  /** What the browser said last of keeping the storage. */
  notePersisted(persisted: boolean | undefined): void {
    if (persisted === this.#persisted) return;
    this.#persisted = persisted;
    this.#cached = undefined;
    this.#schedule();
  }

  subscribe(listener: () => void): () => void {
    const own = (): void => listener();
    return added(this.#audience.subscribers, own);
  }

  on(listener: (event: CompactionEvent) => void): () => void {
    const own = (event: CompactionEvent): void => listener(event);
    return added(this.#audience.listeners, own);
  }

  /** After anything that may have changed something: hands out events, tells subscribers once per turn of the loop, sets the timer. */
  changed(): void {
    for (const event of this.#core.drainEvents()) this.tell(event);
    this.#setTimer();
    if (this.#core.version() !== this.#announced) this.#schedule();
  }

  tell(event: CompactionEvent): void {
    for (const listener of [...this.#audience.listeners]) isolated(() => listener(event));
  }

  close(): void {
    this.#letGo();
    this.#timer.clear();
    this.#audience.subscribers.clear();
    this.#audience.listeners.clear();
  }

  /** Later than the call that ended it: a listener may ask the session, and the way out of a fault is no place for that. */
  stop(error: CompactionError): void {
    this.#timer.clear();
    void Promise.resolve().then(() => {
      this.tell({ type: 'stopped', error });
      for (const subscriber of [...this.#audience.subscribers]) isolated(subscriber);
    });
  }

  #setTimer(): void {
    this.snapshot();
    const until = this.#wake ? (this.#cached?.until ?? Infinity) : Infinity;
    if (until === Infinity) return this.#timer.clear();
    this.#timer.set(() => this.#woken(until), until - Date.now());
  }

  #woken(due: number): void {
    if (Date.now() < due) return this.#setTimer();
    this.#wake?.();
    this.#schedule();
    this.#setTimer();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    void Promise.resolve().then(() => {
      this.#scheduled = false;
      if (this.#life.over) return;
      this.#announced = this.#core.version();
      for (const subscriber of [...this.#audience.subscribers]) isolated(subscriber);
    });
  }
}

function added<T>(to: Set<T>, one: T): () => void {
  to.add(one);
  return () => void to.delete(one);
}

/** A listener's fault is the host's to hear of, and never the conversation's. */
function isolated(call: () => void): void {
  try {
    call();
  } catch (error) {
    const host: unknown = globalThis;
    if (isFields(host) && typeof host.reportError === 'function') host.reportError(error);
  }
}
