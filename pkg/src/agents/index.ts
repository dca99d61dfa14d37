// The entry point `compaction-governor/agents`: a session of Cloudflare's `agents/sessions` with the governor in the place of
// its own compaction. The governor decides and keeps the summary; its overlay is a mirror of it, made again where it is missing.

import type { PrepareOptions, Session, Step } from '../surface.js';
import type { AgentsSession, Governed } from './surface.js';

export function governed<M extends { readonly id: string }>(history: AgentsSession<M>, session: Session<M>): Governed<M> {
  return new GovernedHistory(history, session);
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
    const { messages, behind } = await this.#read();
    try {
      return await this.#session.run(messages, send, { ...options, ...behind });
    } finally {
      await this.#mirror();
    }
  }

  async prepare(options?: PrepareOptions): Promise<Step<M>> {
    const { messages, behind } = await this.#read();
    const step = await this.#session.prepare(messages, { ...options, ...behind });
    await this.#mirror();
    return step;
  }

  /** What lies behind the governor's summary, newest first until there; all where that place is not found. */
  async #read(): Promise<{ messages: M[]; behind: { after?: string } }> {
    const { resumeAfter } = await this.#session.ready;
    const after = this.#session.history().at(-1)?.throughId ?? resumeAfter;
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
    return { messages: await collected(this.#history.history()), behind: {} };
  }

  /** Where an overlay is missing, as after an eviction between the two writes, it is made; the governor's own is the one that counts. */
  #mirror(): Promise<void> {
    const mirrored = this.#mirrored.then(async () => {
      const latest = this.#session.history().at(-1);
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

/** What the ids of its overlays begin with. */
const OVERLAY = 'compaction_';
