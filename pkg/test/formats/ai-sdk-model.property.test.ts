import { aiSdkModel, type ModelMessage } from 'compaction-governor/formats';
import { holds, orphans } from './harness.js';
import { lateOf, PICTURE, resultsOf, type Call, type Script, type Step } from './script.js';

interface Part {
  type: string;
  text?: string;
  toolCallId?: string;
  approvalId?: string;
  [field: string]: unknown;
}
interface Message extends ModelMessage {
  content: string | Part[];
}

const text = (text: string): Part => ({ type: 'text', text });
const thoughts = (text: string | undefined): Part[] => (text === undefined ? [] : [{ type: 'reasoning', text, providerOptions: { anthropic: { signature: `sig ${text}` } } }]);
const called = ({ id, name, input }: Call): Part => ({ type: 'tool-call', toolCallId: id, toolName: name, input: { input } });
const answered = ({ id, name, result }: Call): Part => ({ type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'json', value: { result } } });

/** A search that the provider runs has its result in the same message. */
function search({ closed, says }: Step): Part[] {
  const id = `srv ${says}`;
  return closed ? [{ ...called({ id, name: 'search', input: says, result: says, fate: 'answered' }), providerExecuted: true }, { type: 'tool-result', toolCallId: id, toolName: 'search', output: { type: 'text', value: says } }] : [];
}

/** Calls in the order of `reversed` need an approval, which is given in a message before the results. */
function play(step: Step): Message[] {
  const asks = step.reversed ? step.calls.map(({ id }): Part => ({ type: 'tool-approval-request', approvalId: `ok ${id}`, toolCallId: id })) : [];
  const given = step.reversed ? step.calls.map(({ id }): Part => ({ type: 'tool-approval-response', approvalId: `ok ${id}`, approved: true })) : [];
  const results = resultsOf(step).map(answered);
  const messages: Message[] = [{ role: 'assistant', content: [...thoughts(step.thought), ...search(step), text(step.says), ...step.calls.map(called), ...asks] }];
  for (const content of [given, results]) if (content.length > 0) messages.push({ role: 'tool', content });
  return messages;
}

function build({ system, turns }: Script): Message[] {
  const messages: Message[] = system === undefined ? [] : [{ role: 'system', content: system }];
  turns.forEach((turn, i) => {
    messages.push({ role: 'user', content: turn.picture ? [text(turn.asks), { type: 'image', image: PICTURE, mediaType: 'image/png' }] : turn.asks });
    messages.push(...lateOf(turns[i - 1]).map((call): Message => ({ role: 'tool', content: [answered(call)] })));
    messages.push(...turn.steps.flatMap(play), { role: 'assistant', content: turn.thought === undefined ? turn.answer : [...thoughts(turn.thought), text(turn.answer)] });
  });
  return messages;
}

/** Approvals are pairs like calls and results. What a provider answered itself is no pair. */
function ids({ role, content }: Message): { calls: string[]; results: string[] } {
  const parts = typeof content === 'string' ? [] : content;
  const of = (type: string): string[] => parts.flatMap((part) => (part.type === type && !part.providerExecuted ? (part.approvalId ?? part.toolCallId ?? []) : []));
  const results = role === 'tool' ? of('tool-result') : [];
  return { calls: [...of('tool-call'), ...of('tool-approval-request')], results: [...results, ...of('tool-approval-response')] };
}

const isOurs = (content: unknown): boolean => /<cg-summary>|^\[late result/.test(String(content));

holds<Message>({
  format: aiSdkModel,
  build,
  reply: (content) => ({ content: [{ type: 'reasoning', text: 'hm' }, text(content)], finishReason: { unified: 'stop', raw: 'end_turn' }, usage: { inputTokens: { total: 900 }, outputTokens: { total: 20 } } }),
  isSystem: ({ role }) => role === 'system',
  isUser: ({ role, content }) => role === 'user' && !isOurs(content),
  faults: (view, source) => orphans(view, source, ids),
});
