// The model: an OpenAI-compatible provider, Workers AI, or the script. Each streams server-sent events with usage at their end.
import type { ChatMessage, Signal } from 'compaction-governor';
import type { Env } from './env.js';
import { scripted } from './scripted.js';

export interface Provider {
  /** A stream of an answer. */
  stream(messages: readonly ChatMessage[]): Promise<Response>;
  /** A whole answer, as the provider gives it. */
  complete(messages: readonly ChatMessage[], maxTokens: number, signal: Signal): Promise<object>;
}

export function providerOf(env: Env): Provider {
  if (env.MODEL === 'scripted') return scripted;
  return env.MODEL.startsWith('@cf/') ? workersAi(env) : openAi(env);
}

function openAi({ MODEL, PROVIDER, PROVIDER_KEY, PROVIDER_URL }: Env): Provider {
  const ask = async (body: object, signal?: Signal): Promise<Response> => {
    const headers = { 'content-type': 'application/json', ...(PROVIDER_KEY === undefined ? {} : { authorization: `Bearer ${PROVIDER_KEY}` }) };
    const request = new Request(`${PROVIDER_URL}/chat/completions`, { method: 'POST', headers, body: JSON.stringify({ model: MODEL, ...body }), ...(signal ? { signal: own(signal) } : {}) });
    const response = await (PROVIDER ? PROVIDER.fetch(request) : fetch(request));
    if (response.ok) return response;
    // Status, headers and body are what tells an overflow from a rate limit.
    throw Object.assign(new Error(`the provider answered ${response.status}`), { status: response.status, headers: response.headers, body: await response.json().catch(() => undefined) });
  };
  return {
    stream: (messages) => ask({ messages: plain(messages), stream: true, stream_options: { include_usage: true } }),
    complete: async (messages, maxTokens, signal) => (await ask({ messages: plain(messages), max_tokens: maxTokens }, signal)).json(),
  };
}

function workersAi({ AI, MODEL }: Env): Provider {
  const run = async (inputs: object): Promise<unknown> => {
    if (!AI) throw new Error('MODEL names a model of Workers AI, and wrangler.jsonc has no binding for it');
    return AI.run(MODEL, inputs);
  };
  return {
    stream: async (messages) => {
      const answer = await run({ messages: plain(messages), stream: true });
      if (answer instanceof ReadableStream) return new Response(answer);
      throw new Error('Workers AI answered without a stream');
    },
    complete: async (messages, maxTokens) => {
      const answer = await run({ messages: plain(messages), max_tokens: maxTokens });
      if (typeof answer === 'object' && answer !== null) return answer;
      throw new Error('Workers AI answered with nothing');
    },
  };
}

/** The types of Workers do not show their AbortSignal to a package. */
function own(signal: Signal): AbortSignal {
  const controller = new AbortController();
  if (signal.aborted) controller.abort();
  else signal.addEventListener('abort', () => controller.abort());
  return controller.signal;
}

/** Providers refuse members that they do not know. */
function plain(messages: readonly ChatMessage[]): object[] {
  return messages.map(({ role, content }) => ({ role, content }));
}
