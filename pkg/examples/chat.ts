// A chat with any OpenAI-compatible server. The conversation stays whole in `messages`; what is sent stays inside the window.
import { openSession, type ChatMessage, type Store } from 'compaction-governor';

interface Completion {
  choices: { message: ChatMessage }[];
}

export function createChat(id: string, store: Store, base: string, headers: Record<string, string> = {}) {
  const messages: ChatMessage[] = [];

  async function post(body: object, signal: AbortSignal | null = null): Promise<Response> {
    const response = await fetch(`${base}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body), signal });
    if (response.ok) return response;
    throw Object.assign(new Error(`HTTP ${response.status}`), { status: response.status, headers: response.headers, body: await response.text() });
  }

  async function complete(model: string, messages: ChatMessage[], signal?: AbortSignal, maxTokens?: number): Promise<Completion> {
    return JSON.parse(await (await post({ model, messages, max_tokens: maxTokens }, signal)).text());
  }

  const session = openSession({
    id,
    store,
    contextWindow: 32_768,
    summarize: ({ messages, maxTokens, signal }) => complete('small', messages, signal, maxTokens),
  });

  async function send(text: string): Promise<ChatMessage | undefined> {
    messages.push({ role: 'user', content: text });
    const reply = await session.run(messages, (view) => complete('large', view));
    const answer = reply.choices[0]?.message;
    if (answer) messages.push(answer);
    return answer;
  }

  async function stream(text: string, paint: (bytes: Uint8Array) => void): Promise<void> {
    messages.push({ role: 'user', content: text });
    const step = await session.prepare(messages);
    const response = await post({ model: 'large', messages: step.messages, stream: true, stream_options: { include_usage: true } });
    const reader = step.tap(response).body?.getReader();
    for (let next = await reader?.read(); next?.value; next = await reader?.read()) paint(next.value);
  }

  return { session, messages, send, stream };
}
