// The entry point `compaction-governor/agents`: a session of Cloudflare's `agents/sessions` with the governor in the place of
// its own compaction. The governor decides and keeps the summary; its overlay is a mirror of it, made again where it is missing.

import { isCompactionError } from '../errors.js';
import type { Compaction, PrepareOptions, Session, Step } from '../surface.js';
import type { AgentsSession, Governed } from './surface.js';

export function governed<M extends { readonly id: string }>(history: AgentsSession<M>, session: Session<M>): Governed<M> {
  return new GovernedHistory(history, session);
}

interface Read<M> {
  readonly messages: M[];
  readonly behind: { after?: string };
}

class GovernedHistory<M extends { readonly id: string }> implements Governed<M> {
  readonly #history: AgentsSession<M>;
  readonly #session: Session<M>;
  /** Overlays are written one after another: two of the same summary would be one too many. */
  #mirrored: Promise<void> = Promise.resolve();

  constructor(history: AgentsSession<M>, session: Session<M>) {
    this.#history = history;
    this.#session = session;
  }

  async run<R>(send: (messages: M[], step: Step<M>) => Promise<R>, options?: PrepareOptions): Promise<R> {
    let sent = false;
    const once = (messages: M[], step: Step<M>): Promise<R> => {
      sent = true;
      return send(messages, step);
    };
    return this.#on(({ messages, behind }) => this.#session.run(messages, once, { ...options, ...behind }), () => !sent);
  }

  async prepare(options?: PrepareOptions): Promise<Step<M>> {
    return this.#on(({ messages, behind }) => this.#session.prepare(messages, { ...options, ...behind }), () => true);
  }

  /** Where the session does not go on behind what was read, as when its summary was taken back, it is given the whole history. */
  async #on<T>(work: (read: Read<M>) => Promise<T>, again: () => boolean): Promise<T> {
    try {
      return await work(await this.#tail()).catch(async (error: unknown) => {
        if (!isCompactionError(error) || !NEEDS_ALL.includes(error.code) || !again()) throw error;
        return work(await this.#all());
      });
    } finally {
      await this.#mirror();
    }
  }

  /** What lies behind the governor's summary, newest first until there; all where that place is not found. */
  async #tail(): Promise<Read<M>> {
    const { resumeAfter } = await this.#session.ready;
    const after = this.#summary()?.throughId ?? resumeAfter;
    if (after !== undefined) {
      const messages: M[] = [];
      const ends = (await this.#overlays()).map(({ id, toMessageId }) => (toMessageId === after ? OVERLAY + id : undefined));
      for await (const message of this.#history.history({ newestFirst: true })) {
        if (message.id === after || ends.includes(message.id)) return { messages: messages.reverse(), behind: { after } };
        // A summary that somebody else made: what it hides cannot be vouched for.
        if (message.id.startsWith(OVERLAY)) break;
        messages.push(message);
      }
    }
    return this.#all();
  }

  async #all(): Promise<Read<M>> {
    return { messages: await collected(this.#history.history()), behind: {} };
  }

  /** What was cleared without a model is no summary to go on behind. */
  #summary(): Compaction | undefined {
    return this.#session.history().filter(({ cleared }) => cleared !== true).at(-1);
  }

  /** Where an overlay is missing, as after an eviction between the two writes, it is made; the governor's own is the one that counts. */
  #mirror(): Promise<void> {
    const mirrored = this.#mirrored.then(async () => {
      const latest = this.#summary();
      if (!latest) return;
      const overlays = await this.#overlays();
      if (overlays.some(({ summary, toMessageId }) => toMessageId === latest.throughId && summary === latest.summary)) return;
      const from = overlays[0]?.fromMessageId ?? (await first(this.#history.history()))?.id;
      if (from !== undefined) await this.#history.addCompaction(latest.summary, from, latest.throughId);
    });
    this.#mirrored = mirrored.catch(() => undefined);
    return this.#mirrored;
  }

  #overlays(): ReturnType<AgentsSession<M>['getCompactions']> {
    return this.#history.getCompactions();
  }
}

async function collected<T>(all: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of all) list.push(one);
  return list;
}

async function first<T>(all: AsyncIterable<T>): Promise<T | undefined> {
  for await (const one of all) return one;
  return undefined;
}

/** Codes of refused tails. */
const NEEDS_ALL: readonly string[] = ['unknown_after', 'needs_transcript', 'head_changed'];
/** What the ids of its overlays begin with. */
const OVERLAY = 'compaction_';
