// Hints that another tab has written: they make this tab look at the store earlier than it would have to. Nothing is
// lost without them, and nothing that they say is believed.

import { isFields } from '../formats/shape/json.js';

/** What a hint asks for. */
export interface Hinted {
  /** The revision that the session is based on; 0 for none. */
  revision(): number;
  refresh(): void;
}

export class Hints {
  readonly #channel: Channel | undefined;
  readonly #hinted: Hinted;
  readonly #undo: (() => void)[] = [];

  /** `scope`: the store and session that they are of; none where no other tab can have them. */
  constructor(scope: string | undefined, hinted: Hinted) {
    this.#hinted = hinted;
    if (scope === undefined) return;
    this.#channel = quietly(() => opened(scope));
    quietly(() => this.#listen(this.#channel, 'message', (event) => this.#heard(event)));
    quietly(() => this.#listen(globalThis, 'pageshow', (event) => isFields(event) && event.persisted === true && hinted.refresh()));
    const document = ofPlatform('document');
    quietly(() => this.#listen(document, 'visibilitychange', () => isFields(document) && document.visibilityState === 'visible' && hinted.refresh()));
  }

  /** Tells other tabs that the store has acknowledged this revision. */
  announce(revision: number): void {
    quietly(() => this.#channel?.postMessage({ revision }));
  }

  close(): void {
    for (const step of this.#undo.splice(0)) quietly(step);
    quietly(() => this.#channel?.close());
  }

  #heard(event: unknown): void {
    const message = isFields(event) ? event.data : undefined;
    if (!isFields(message) || typeof message.revision !== 'number') return;
    if (message.revision === REMOVED || message.revision > this.#hinted.revision()) this.#hinted.refresh();
  }

  #listen(target: unknown, type: string, listener: (event: unknown) => void): void {
    if (!isTarget(target)) return;
    target.addEventListener(type, listener);
    this.#undo.push(() => target.removeEventListener(type, listener));
  }
}

/** Tells other tabs that the session was removed. Needs no session: it is closed by then. */
export function announceRemoval(scope: string | undefined): void {
  if (scope === undefined) return;
  quietly(() => {
    const channel = opened(scope);
    channel?.postMessage({ revision: REMOVED });
    channel?.close();
  });
}

interface Channel extends Target {
  postMessage(message: { readonly revision: number }): void;
  close(): void;
}

interface Target {
  addEventListener(type: string, listener: (event: unknown) => void): void;
  removeEventListener(type: string, listener: (event: unknown) => void): void;
}

function opened(scope: string): Channel | undefined {
  const Made = ofPlatform('BroadcastChannel');
  if (!isChannelClass(Made)) return undefined;
  const channel = new Made(`compaction-governor/${scope}`);
  // Node's channels keep the process alive until told not to.
  if ('unref' in channel && typeof channel.unref === 'function') channel.unref();
  return channel;
}

/** A global that not every place has. */
function ofPlatform(name: string): unknown {
  const host: unknown = globalThis;
  return isFields(host) ? host[name] : undefined;
}

function isChannelClass(made: unknown): made is new (name: string) => Channel {
  return typeof made === 'function';
}

function isTarget(target: unknown): target is Target {
  return typeof target === 'object' && target !== null && 'addEventListener' in target && typeof target.addEventListener === 'function' && 'removeEventListener' in target;
}

/** A hint that cannot be given or heard is none. */
function quietly<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}

/** A record has a revision of 1 at least. */
const REMOVED = 0;
