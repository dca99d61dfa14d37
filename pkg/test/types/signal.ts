// Where the platform has an AbortSignal, a summariser's signal is one and goes straight into `fetch`.
import { memory, openSession } from 'compaction-governor';

export const session = openSession({
  id: 'a',
  store: memory(),
  summarize: ({ messages, signal }) => fetch('/summarize', { method: 'POST', body: JSON.stringify(messages), signal }),
});
export const step = session.prepare([], { signal: new AbortController().signal });
export const response: Promise<Response> = session.run([], async (messages, own) => own.tap(await fetch('/chat', { body: JSON.stringify(messages) })));
