import { aiSdkUi, tanstackUi, type UiMessage } from 'compaction-governor/formats';
import { holds } from './harness.js';
import { PICTURE, type Call, type Script, type Step, type Turn } from './script.js';

interface Part {
  type: string;
  text?: string;
  content?: string;
  state?: string;
  toolCallId?: string;
  id?: string;
  [field: string]: unknown;
}
interface Message extends UiMessage {
  parts: Part[];
}

/** How one of the two libraries writes the parts. */
interface Dialect {
  text(text: string): Part;
  picture: Part;
  thought(thought: string): Part;
  call(call: Call): Part[];
}

const aiSdk: Dialect = {
  text: (text) => ({ type: 'text', text, state: 'done' }),
  picture: { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${PICTURE}` },
  thought: (text) => ({ type: 'reasoning', text, providerMetadata: { anthropic: { signature: `sig ${text}` } } }),
  call: ({ id, name, input, result, fate }) => {
    const state = fate === 'answered' ? { state: 'output-available', output: { result } } : fate === 'late' ? { state: 'output-error', errorText: result } : { state: 'input-available' };
    return [{ type: `tool-${name}`, toolCallId: id, input: { input }, ...state }];
  },
};

const tanStack: Dialect = {
  text: (content) => ({ type: 'text', content }),
  picture: { type: 'image', source: { type: 'data', value: PICTURE, mimeType: 'image/png' } },
  thought: (content) => ({ type: 'thinking', content, signature: `sig ${content}` }),
  call: ({ id, name, input, result, fate }) => {
    const call = { type: 'tool-call', id, name, arguments: JSON.stringify({ input }), state: 'input-complete' };
    if (fate === 'missing') return [call];
    return fate === 'late' ? [{ ...call, output: { result } }] : [{ ...call, output: { result } }, { type: 'tool-result', toolCallId: id, content: result, state: 'complete' }];
  },
};

function builder(dialect: Dialect): (script: Script) => Message[] {
  const { text, thought, picture } = dialect;
  const thoughts = (of: string | undefined): Part[] => (of === undefined ? [] : [thought(of)]);
  const step = (step: Step): Part[] => [{ type: 'step-start' }, ...thoughts(step.thought), text(step.says), ...step.calls.flatMap(dialect.call)];
  /** An answer is one message however many steps it took, unless a reload began a new one. */
  const answer = (turn: Turn, id: string): Message[] => {
    const last = [{ type: 'step-start' }, ...thoughts(turn.thought), text(turn.answer), { type: 'data-note', data: id }];
    const steps = turn.steps.map(step);
    const parts = turn.picture ? [...steps, last] : [[...steps.flat(), ...last]];
    return parts.map((parts, i) => ({ id: `${id}-${i}`, role: 'assistant', parts }));
  };
  return ({ system, turns }) => {
    const messages: Message[] = system === undefined ? [] : [{ id: 's', role: 'system', parts: [text(system)] }];
    turns.forEach((turn, i) => messages.push({ id: `u${i}`, role: 'user', parts: turn.picture ? [text(turn.asks), picture] : [text(turn.asks)] }, ...answer(turn, `a${i}`)));
    return messages;
  };
}

/** Calls and results share a message, which is shown as it was: no other message may hold one of its ids. */
function faults(view: readonly Message[]): string[] {
  const seen = new Map<string, Message>();
  return view.flatMap((message) =>
    message.parts.flatMap(({ toolCallId, id, type }) => {
      const call = toolCallId ?? (type === 'tool-call' ? id : undefined);
      if (call === undefined) return [];
      const first = seen.get(call) ?? message;
      seen.set(call, first);
      return first === message ? [] : [`call ${call} in two messages`];
    }),
  );
}

for (const [format, dialect] of [[aiSdkUi, aiSdk], [tanstackUi, tanStack]] as const) {
  holds<Message>({
    format,
    build: builder(dialect),
    reply: (text) => ({ text, finishReason: 'stop', usage: { inputTokens: 900, outputTokens: 20, totalTokens: 920 } }),
    isSystem: ({ role }) => role === 'system',
    isUser: ({ role, id }) => role === 'user' && !id.startsWith('cg-'),
    faults,
  });
}
