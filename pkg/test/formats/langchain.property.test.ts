import { langchain } from 'compaction-governor/formats';
import { holds, orphans } from './harness.js';
import { lateOf, PICTURE, resultsOf, type Call, type Script, type Step, type Turn } from './script.js';

interface Fields {
  id?: string;
  content: unknown;
  tool_calls?: { id: string; name: string; args: object }[];
  tool_call_id?: string;
  additional_kwargs?: object;
}
/** Plain, `{ type, data }` or `{ lc, id, kwargs }`: hosts have them side by side. */
type Message = Fields & { type?: string; role?: string } | { type: string; data: Fields; content?: undefined } | { lc: 1; type: 'constructor'; id: string[]; kwargs: Fields; content?: undefined };

const CLASSES: Readonly<Record<string, string>> = { system: 'SystemMessage', human: 'HumanMessage', ai: 'AIMessage', tool: 'ToolMessage' };

/** Each message in one of the three forms. */
function formed(type: string, fields: Fields, at: number): Message {
  if (at % 3 === 0) return { type, ...fields };
  return at % 3 === 1 ? { type, data: fields } : { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', CLASSES[type] ?? ''], kwargs: fields };
}

const typeOf = (message: Message): string => ('lc' in message ? (Object.keys(CLASSES).find((type) => CLASSES[type] === message.id.at(-1)) ?? '') : (message.type ?? ''));
const fieldsOf = (message: Message): Fields => ('lc' in message ? message.kwargs : 'data' in message ? message.data : message);

const result = ({ id, result }: Call): [string, Fields] => ['tool', { content: result, tool_call_id: id }];

/** A search that the provider runs has its result in the same message. */
function stepOf(step: Step): [string, Fields][] {
  const search = step.closed ? [{ type: 'server_tool_call', id: `srv ${step.says}`, name: 'search', args: {} }, { type: 'server_tool_call_result', toolCallId: `srv ${step.says}`, output: { found: step.says } }] : [];
  const thinking = step.thought === undefined ? [] : [{ type: 'thinking', thinking: step.thought, signature: 's' }];
  const tool_calls = step.calls.map(({ id, name, input }) => ({ id, name, args: { input } }));
  return [['ai', { content: [...thinking, ...search, { type: 'text', text: step.says }], tool_calls }], ...resultsOf(step).map(result)];
}

function turnOf(turn: Turn, before: Turn | undefined): [string, Fields][] {
  const asks = turn.picture ? [{ type: 'text', text: turn.asks }, { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } }] : turn.asks;
  return [['human', { content: asks }], ...lateOf(before).map(result), ...turn.steps.flatMap(stepOf), ['ai', { content: turn.answer }]];
}

function build({ system, turns }: Script): Message[] {
  const first: [string, Fields][] = system === undefined ? [] : [['system', { content: system }]];
  return [...first, ...turns.flatMap((turn, i) => turnOf(turn, turns[i - 1]))].map(([type, fields], at) => formed(type, { id: `m${at}`, ...fields }, at));
}

function idsOf(message: Message): { calls: string[]; results: string[] } {
  const { tool_calls = [], tool_call_id } = fieldsOf(message);
  return { calls: tool_calls.map(({ id }) => id), results: tool_call_id === undefined ? [] : [tool_call_id] };
}

holds<Message>({
  format: langchain,
  build,
  reply: (content) => ({ lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'AIMessage'], kwargs: { content, response_metadata: { finish_reason: 'stop' }, usage_metadata: { input_tokens: 900, output_tokens: 20, total_tokens: 920 } } }),
  isSystem: (message) => typeOf(message) === 'system',
  isUser: (message) => typeOf(message) === 'human',
  faults: (view, source) => orphans(view, source, idsOf),
});
