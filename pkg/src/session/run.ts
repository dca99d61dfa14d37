// Level 1: the loop around one model call. Written with `prepare` and the step it returns alone.

import { isStream } from '../stream/kind.js';
import type { PrepareOptions, Session, Step } from '../surface.js';

export type Send<M, R> = (messages: M[], step: Step<M>) => Promise<R>;

export async function runCall<M, R>(session: Pick<Session<M>, 'prepare'>, messages: readonly M[], send: Send<M, R>, options?: PrepareOptions): Promise<R> {
  const first = await session.prepare(messages, options);
  const sent = first.messages.length;
  try {
    return await call(first, send);
  } catch (error) {
    if ((await first.failed(error)) === 'rethrow') throw error;
    const second = await session.prepare(messages, options);
    // The same prompt would be refused again, and paid for again.
    if (!second.compacted && second.messages.length >= sent) throw error;
    return lastCall(second, send);
  }
}

async function call<M, R>(step: Step<M>, send: Send<M, R>): Promise<R> {
  const reply = await send(step.messages, step);
  if (isStream(reply)) return step.tap(reply);
  await step.done(reply);
  return reply;
}

async function lastCall<M, R>(step: Step<M>, send: Send<M, R>): Promise<R> {
  try {
    return await call(step, send);
  } catch (error) {
    await step.failed(error);
    throw error;
  }
}
