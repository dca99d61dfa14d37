// Every step by hand: what `run` does, for hosts whose loop is not one call after another.
import { openSession, type ChatMessage, type Store, type SummaryRequest } from 'compaction-governor';

/** A model call, and what writes the summaries. Both answer in the provider's own shape. */
export interface Models {
  complete(messages: ChatMessage[]): Promise<{ usage?: { prompt_tokens: number; completion_tokens: number } }>;
  summarize(request: SummaryRequest): Promise<unknown>;
}

export function openByHand(id: string, store: Store, models: Models) {
  const session = openSession({ id, store, contextWindow: 32_768, keep: { messages: 4 } });
  const { advanced } = session;

  async function compactIfDue(messages: readonly ChatMessage[]): Promise<string> {
    await session.ready;
    advanced.observe(messages);
    if (!session.shouldCompact()) return session.explain().sentence;
    const plan = await advanced.plan();
    if ('refused' in plan) return plan.refused.sentence;
    if (plan.means === 'last_resort') return (await plan.commitPlain()).status;
    for (let { request } = plan; ; ) {
      const result = await models.summarize(request).then((reply) => plan.commit(reply), (error: unknown) => plan.fail(error));
      if (result.status !== 'unfinished') return result.status === 'failed' ? result.error.message : result.status;
      ({ request } = result);
    }
  }

  async function call(messages: readonly ChatMessage[]) {
    const view = advanced.view(messages);
    try {
      const reply = await models.complete(view.messages);
      await advanced.recordUsage(reply.usage?.prompt_tokens, view);
      return reply;
    } catch (error) {
      await advanced.recordOverflow(error, view);
      throw error;
    }
  }

  return { session, compactIfDue, call };
}
