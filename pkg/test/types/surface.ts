// What users write must compile, and what they must not write must not. Checked by `tsc`, never run.
import { indexedDb, isCompactionError, localStorageStore, memory, openSession, type ChatMessage, type CompactResult, type Decision, type Session } from 'compaction-governor';
import { anthropic, gemini, openaiChat, openaiResponses, type GeminiContent, type ResponsesItem } from 'compaction-governor/formats';

/** A host's own message type, as a client library would bring it. */
type HostMessage = { role: 'user'; content: string | { type: 'text'; text: string }[] } | { role: 'assistant'; content?: string | null; tool_calls?: { id: string }[] };
declare const hostMessages: HostMessage[];
declare function complete(messages: HostMessage[]): Promise<{ choices: { text: string }[] }>;

/** The types of client libraries are narrower than what a format names; a session keeps them. */
type Content = { role?: string; parts?: { text?: string }[] };
type MessageParam = { role: 'user' | 'assistant'; content: string | { type: 'text'; text: string }[] };
export const narrowed: Session<MessageParam> = openSession<MessageParam>({ id: 'c', store: memory(), format: anthropic, hostSummary: ({ role }) => role === 'user' });
export const inferred: Session<GeminiContent> = openSession({ id: 'd', store: memory(), format: gemini, hostSummary: '[SUMMARY]' });
export const chat: Session = openSession({ id: 'e', store: memory(), format: openaiChat });
export const items: ResponsesItem[] = [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }, { role: 'user', content: openaiResponses.text({ role: 'user', content: 'hi' }) }];
// @ts-expect-error these are messages of another format
openSession<Content>({ id: 'f', store: memory(), format: anthropic });

const plain: Session = openSession({ id: 'a', store: memory() });
const typed = openSession<HostMessage>({
  id: 'b',
  store: indexedDb({ name: 'mine' }),
  contextWindow: 128_000,
  maxOutputTokens: 4_096,
  trigger: [{ fraction: 0.7, messages: 20 }, { tokens: 100_000 }],
  keep: { messages: 6, tokens: 8_000 },
  fallback: ['timeout', 'rate_limit'],
  carry: () => ['- [x] one', 'mode: read-only'],
  summarize: [({ messages }) => complete(messages), async () => 'a string is a reply too'],
});

export async function use(): Promise<string> {
  const reply = await typed.run(hostMessages, (view) => complete(view));
  const step = await typed.prepare(hostMessages, { model: 'large' });
  const sent: HostMessage[] = step.messages;
  await step.done({ promptTokens: 12 });
  const chunks: AsyncIterable<string> = step.tap(chunksOf(sent));
  for await (const chunk of chunks) if (chunk === '') break;
  if ((await step.failed(new Error())) === 'retry') return 'again';
  const awaited: Session<HostMessage> = await typed;
  return reply.choices[0]?.text ?? `${told(awaited.explain())} ${outcome(await typed.compact(hostMessages, { focus: 'tests' }))}`;
}

export async function kept(): Promise<string> {
  const { resumeAfter } = await typed.ready;
  if (resumeAfter !== undefined) await typed.prepare(hostMessages, { after: resumeAfter });
  const pinned = await typed.pin('message 1');
  if (pinned.status === 'refused') return `${pinned.floorTokens} of ${pinned.thresholdTokens}`;
  await typed.unpin(pinned.id);
  await typed.pin({ text: 'never touch prod' });
  return outcome(await typed.edit(typed.history()[0]?.compactionId ?? '', 'mine')) + outcome(await typed.undo());
}

declare function chunksOf(messages: HostMessage[]): AsyncGenerator<string>;

function told(decision: Decision): string {
  switch (decision.action) {
    case 'blocked':
      return `${decision.reason} until ${decision.retryAt ?? decision.unblocksAtTokens ?? 'a person acts'}`;
    case 'compact':
      return decision.trigger;
    case 'hold':
    case 'wait':
      return decision.reason;
  }
}

function outcome(result: CompactResult): string {
  if (result.status === 'refused') return result.decision.sentence;
  return result.status === 'failed' ? `${result.error.code} ${result.error.applied}` : result.compactionId;
}

export async function byHand(messages: ChatMessage[]): Promise<void> {
  plain.advanced.observe(messages);
  const plan = await plain.advanced.plan();
  if ('refused' in plan) return;
  const view = plain.advanced.view(messages);
  await plain.advanced.recordUsage(undefined, view);
  await plan.renew();
  const { overflow } = await plain.advanced.recordOverflow(new Error(), { revision: 3 });
  if (overflow) await plan.commitPlain();
}

export function caught(error: unknown): string {
  return isCompactionError(error) ? `${error.code} ${error.docs}` : 'not ours';
}

// @ts-expect-error an id is needed
openSession({ store: memory() });
// @ts-expect-error a store is needed
openSession({ id: 'a' });
// @ts-expect-error what is kept is counted in messages or tokens, not in shares
openSession({ id: 'a', store: localStorageStore(), keep: { fraction: 0.5 } });
// @ts-expect-error later issues bring modes; nothing pretends to have them
openSession({ id: 'a', store: memory(), mode: 'manual' });
// @ts-expect-error carry is asked in the middle of a commit, and cannot be waited for
openSession({ id: 'a', store: memory(), carry: async () => 'todo' });
// @ts-expect-error a bad summary is refused, not replaced
openSession({ id: 'a', store: memory(), fallback: ['bad_summary'] });
// @ts-expect-error a session is no promise
plain.then;
