// Level 2: what to send now, and compacting by hand. Written with the methods of level 3 alone.

import { isFault } from '../boundary/guard.js';
import type { Reader } from '../formats/reader.js';
import type { Advanced, CompactOptions, CompactResult, Decision, PrepareOptions, Session, Step, Summarizer, View } from '../surface.js';
import { PreparedStep } from './step.js';
import { writeSummary } from './write-summary.js';

/** All of a session that this level may use. */
export type Lower<M> = Pick<Session<M>, 'ready' | 'explain' | 'advanced'>;

export async function prepareStep<M>(
  session: Lower<M>,
  reader: Pick<Reader<M>, 'usage'>,
  summarizers: readonly Summarizer<M>[],
  messages: readonly M[],
  options: PrepareOptions = {},
): Promise<Step<M>> {
  // The host may append to its array while a summary is being written.
  const fixed = [...messages];
  try {
    await session.ready;
    const { advanced } = session;
    advanced.observe(fixed, options);
    const { compacted, refused } = session.explain().action === 'hold' ? NOTHING : await compactIfDue(advanced, summarizers, options);
    const view = advanced.view(fixed, options);
    return new PreparedStep(advanced, reader, view, refused ?? session.explain(), compacted);
  } catch (error) {
    // Of a conversation that goes on behind a summary the messages given are not all.
    if (!isFault(error) || options.after !== undefined) throw error;
    return new PreparedStep(session.advanced, reader, asItIs(fixed), session.explain(), false);
  }
}

function asItIs<M>(messages: M[]): View<M> {
  return { messages, revision: 0, entries: messages.length, at: Date.now(), tokens: 0, stablePrefix: 0, parts: [{ kind: 'verbatim', from: 0, to: messages.length }] };
}

export async function compactByHand<M>(
  session: Lower<M>,
  summarizers: readonly Summarizer<M>[],
  messages: readonly M[],
  options: CompactOptions = {},
): Promise<CompactResult> {
  await session.ready;
  const { advanced } = session;
  advanced.observe([...messages], options);
  const { focus, signal } = options;
  const plan = await advanced.plan(focus === undefined ? { trigger: 'manual' } : { trigger: 'manual', focus });
  if ('refused' in plan) return { status: 'refused', decision: plan.refused };
  return writeSummary(plan, summarizers, signal);
}

/** The first half of `prepare`, for its own sake. */
export async function compactWhenDue<M>(session: Lower<M>, summarizers: readonly Summarizer<M>[], messages: readonly M[], options: PrepareOptions = {}): Promise<CompactResult> {
  await session.ready;
  const { advanced } = session;
  advanced.observe([...messages], options);
  const decision = session.explain();
  if (decision.action === 'hold' || options.signal?.aborted) return { status: 'refused', decision };
  const plan = await advanced.plan();
  return 'refused' in plan ? { status: 'refused', decision: plan.refused } : writeSummary(plan, summarizers, options.signal);
}

async function compactIfDue<M>(advanced: Advanced<M>, summarizers: readonly Summarizer<M>[], options: PrepareOptions): Promise<Due> {
  if (options.signal?.aborted) return NOTHING;
  const plan = await advanced.plan();
  if ('refused' in plan) return { compacted: plan.prunedTokens !== undefined, refused: plan.refused };
  const { status } = await writeSummary(plan, summarizers, options.signal);
  return { compacted: status === 'committed' };
}

/** What came of a pass that was due. */
interface Due {
  readonly compacted: boolean;
  /** What refused it: what another tab holds shows in no answer from memory. */
  readonly refused?: Decision;
}

const NOTHING: Due = { compacted: false };
