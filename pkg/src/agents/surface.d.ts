// The public types of `compaction-governor/agents`.

import type { PrepareOptions, Session, Step } from '../surface.js';

/**
 * A session of Cloudflare's `agents/sessions`, governed: `governed(sessions.session(), openSession({ format: aiSdkUi, store:
 * durableObject(ctx.storage), … }))`. Register no `onCompaction` and no `compactAfter`: they call a summariser again with each
 * message above their line, whether it failed or did not help.
 *
 * Messages are stored as before. `run` and `prepare` read those behind the summary alone, and keep an overlay of their
 * session like the governor's summary, so that its history and search go on as its own.
 */
export function governed<M extends { readonly id: string }>(history: AgentsSession<M>, session: Session<M>): Governed<M>;

export interface Governed<M> {
  /** As `session.run`, on the history. Store the reply yourself, by `appendMessage`. */
  run<R>(send: (messages: M[], step: Step<M>) => Promise<R>, options?: PrepareOptions): Promise<R>;
  /** As `session.prepare`, on the history. */
  prepare(options?: PrepareOptions): Promise<Step<M>>;
}

/** As much of its `Session` as is used. */
export interface AgentsSession<M> {
  history(options?: { newestFirst?: boolean }): AsyncIterable<M>;
  getCompactions(): Promise<readonly { readonly id: string; readonly summary: string; readonly fromMessageId: string; readonly toMessageId: string }[]>;
  addCompaction(summary: string, fromMessageId: string, toMessageId: string): Promise<unknown>;
}
