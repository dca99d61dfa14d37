// From a plan to its end: asks the summarisers in order, each bounded in time. Uses nothing but the plan.

import { compactionError } from '../errors.js';
import { isFields } from '../formats/shape/json.js';
import type { CompactResult, Plan, Signal, Summarize, Summarizer, SummaryRequest } from '../surface.js';
import { outcome } from './outcome.js';
import { Timer } from './timer.js';

export async function writeSummary<M>(plan: Plan<M>, summarizers: readonly Summarizer<M>[], signal: Signal | undefined): Promise<CompactResult> {
  if (plan.means === 'last_resort') return plan.commitPlain();
  if (signal?.aborted) return plan.cancel();
  let failure: unknown = compactionError('no_summarizer', 'a summary is due and openSession was given no summarize function; pass one');
  for (const summarizer of summarizers) {
    const written = await writtenBy(plan, summarizer, summarizer === summarizers.at(-1), signal);
    if ('end' in written) return written.end;
    if (signal?.aborted) return plan.cancel();
    failure = written.failure;
    // Nobody waits for another one's answer either.
    if (written.over) break;
  }
  return plan.fail(failure);
}

/** How the attempt ended by this summariser, or why the next one is asked: it failed, or what it wrote would be refused. */
async function writtenBy<M>(plan: Plan<M>, summarizer: Summarizer<M>, last: boolean, signal: Signal | undefined): Promise<{ end: CompactResult } | { failure: unknown; over?: boolean | undefined }> {
  let request: SummaryRequest<M> | undefined;
  for (;;) {
    const answer = await answered(() => bounded(summarizer.summarize, (request ??= plan.requestFor(summarizer)), signal));
    if ('failure' in answer) return { ...answer, over: request?.signal.aborted };
    const refused = last ? undefined : await plan.refusal(answer.reply);
    if (refused) return { failure: compactionError(refused.code, refused.message, { retryable: true }) };
    const end = await plan.commit(answer.reply);
    if (end.status !== 'unfinished') return { end };
    ({ request } = end);
    if (!(await plan.renew())) return { end: await overtaken(plan) };
  }
}

/** Another tab has taken the attempt over: what is not asked for any more is not paid for. */
async function overtaken<M>(plan: Plan<M>): Promise<CompactResult> {
  await plan.cancel();
  return outcome({ status: 'superseded' });
}

async function answered(ask: () => Promise<unknown>): Promise<{ reply: unknown } | { failure: unknown }> {
  try {
    return { reply: await ask() };
  } catch (failure) {
    return { failure };
  }
}

/** One summariser's answer, or a rejection when it takes too long, the attempt is over, or the host gives up. */
function bounded<M>(summarize: Summarize<M>, request: SummaryRequest<M>, signal: Signal | undefined): Promise<unknown> {
  const controller = new AbortController();
  const timer = new Timer();
  const undo: (() => void)[] = [];
  return new Promise<unknown>((resolve, reject) => {
    const stop = (name: string, message: string): void => {
      const error = Object.assign(new Error(message), { name });
      controller.abort(error);
      reject(error);
    };
    timer.set(() => stop('TimeoutError', `the summariser did not answer within ${SUMMARIZE_TIMEOUT_MS / 1_000} s`), SUMMARIZE_TIMEOUT_MS);
    undo.push(whenAborted(request.signal, () => stop('TimeoutError', "the attempt's deadline passed, or another tab took it over, before the summariser answered")));
    undo.push(whenAborted(signal, () => stop('AbortError', 'the call was given up while the summariser was writing')));
    asked(summarize, { ...request, signal: controller.signal }).then(resolve, reject);
  }).finally(() => {
    timer.clear();
    for (const step of undo) step();
  });
}

async function asked<M>(summarize: Summarize<M>, request: SummaryRequest<M>): Promise<unknown> {
  const reply = await summarize(request);
  return isResponse(reply) ? body(reply) : reply;
}

/** Returns what lets go of `signal`, which may outlive many calls. */
function whenAborted(signal: Signal | undefined, stop: () => void): () => void {
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  return () => signal?.removeEventListener('abort', stop);
}

/** `fetch` answers with a Response for every status, and its body still to be read. */
interface ResponseLike {
  readonly ok: boolean;
  readonly status: number;
  json(): Promise<unknown>;
}

function isResponse(reply: unknown): reply is ResponseLike {
  return isFields(reply) && typeof reply.ok === 'boolean' && typeof reply.status === 'number' && typeof reply.json === 'function';
}

async function body(response: ResponseLike): Promise<unknown> {
  if (response.ok) return response.json();
  const headers = 'headers' in response ? response.headers : undefined;
  throw Object.assign(new Error(`the summariser answered with status ${response.status}`), { status: response.status, headers });
}

/** A summary of 8,192 tokens takes a slow model 80 s; beyond this the conversation has waited long enough. */
const SUMMARIZE_TIMEOUT_MS = 120_000;
