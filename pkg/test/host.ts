// A small host for tests: a conversation, a scripted model, a session in memory.

import { memory, openSession, type ChatMessage, type Session, type SessionOptions, type Store } from 'compaction-governor';
import { ScriptedModel, type Script } from './scripted-model.js';

export interface Host {
  readonly model: ScriptedModel;
  readonly session: Session;
  readonly store: Store;
  readonly messages: ChatMessage[];
  complete(model: 'large' | 'small', messages: readonly ChatMessage[], signal?: AbortSignal): Promise<Completion>;
}

export interface Completion {
  choices: { message: ChatMessage }[];
  usage?: { prompt_tokens: number; completion_tokens: number };
}

let hosts = 0;

export function openHost(script: Script = {}, options: Partial<SessionOptions> = {}): Host {
  const model = new ScriptedModel(script);
  const store = options.store ?? memory();
  const complete: Host['complete'] = async (name, messages) => {
    const response = await model.fetch('', { body: JSON.stringify({ model: name, messages }) });
    const body = JSON.parse(await response.text());
    if (!response.ok) throw Object.assign(new Error(`HTTP ${response.status}`), { status: response.status, body });
    return body;
  };
  const session = openSession({
    id: `test-${hosts++}`,
    contextWindow: 4_096,
    summarize: ({ messages, signal }) => complete('small', messages, signal),
    // What the scripted model counts plus a seventh: the scenarios do not depend on the estimator's table.
    countTokens: (text) => Buffer.byteLength(text) / 3.5,
    ...options,
    store,
  });
  return { model, session, store, messages: [], complete };
}

/** One turn of about `tokens` tokens: a message, a call, the answer. */
export async function turn(host: Host, tokens: number): Promise<Completion> {
  host.messages.push({ role: 'user', content: `message ${host.messages.length} ${'lorem ipsum '.repeat(Math.ceil((tokens * 3.5) / 12))}` });
  const reply = await host.session.run(host.messages, (view) => host.complete('large', view));
  const answer = reply.choices[0]?.message;
  if (answer) host.messages.push(answer);
  return reply;
}
