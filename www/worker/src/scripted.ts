// A model without a model: it repeats what it was told last, a word at a time, and counts four bytes to a token.
import type { ChatMessage } from 'compaction-governor';
import type { Provider } from './provider.js';

export const scripted: Provider = {
  async stream(messages) {
    const words = answerTo(messages).split(/(?<= )/);
    const chunks = words.map((word) => ({ choices: [{ delta: { content: word } }], usage: null }));
    const end = { choices: [], usage: usageOf(messages, words.length) };
    const events = [...[...chunks, end].map((chunk) => JSON.stringify(chunk)), '[DONE]'];
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        const event = events.shift();
        if (event === undefined) return controller.close();
        controller.enqueue(encoder.encode(`data: ${event}\n\n`));
      },
    });
    return new Response(source, { headers: { 'content-type': 'text/event-stream' } });
  },
  async complete(messages) {
    const content = 'The user talks to the scripted model, which repeats what it is told. Every message so far was answered. Next: go on.';
    return { choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }], usage: usageOf(messages, 30) };
  },
};

function answerTo(messages: readonly ChatMessage[]): string {
  const last = String(messages.at(-1)?.content ?? '');
  return `You said: ${last.slice(0, 400)}`;
}

function usageOf(messages: readonly ChatMessage[], completion_tokens: number): object {
  const prompt_tokens = messages.reduce((sum, { content }) => sum + 4 + Math.ceil(encoder.encode(String(content)).length / 4), 0);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

const encoder = new TextEncoder();
