// Routes: everything about a conversation goes to its object, the rest is the page.
import type { Env } from './env.js';

export { Chat } from './chat.js';

export default {
  async fetch(request, env): Promise<Response> {
    const [, id] = /^\/chat\/([\w-]{1,64})(?:\/|$)/.exec(new URL(request.url).pathname) ?? [];
    if (id === undefined) return new Response('no such page', { status: 404 });
    try {
      return await env.CHAT.get(env.CHAT.idFromName(id)).fetch(request);
    } catch (error) {
      return unavailable(error);
    }
  },
} satisfies ExportedHandler<Env>;

/** An object with too much to do says so, and asking again at once would make it worse. */
function unavailable(error: unknown): Response {
  const facts = typeof error === 'object' && error !== null ? error : {};
  const overloaded = 'overloaded' in facts && facts.overloaded === true;
  const retryable = 'retryable' in facts && facts.retryable === true;
  if (!overloaded && !retryable) throw error;
  return Response.json({ error: overloaded ? 'this conversation has too much to do' : 'this conversation was moving' }, { status: overloaded ? 429 : 503, headers: { 'retry-after': overloaded ? '30' : '1' } });
}
