import { openaiResponses, type ResponsesItem } from 'compaction-governor/formats';
import { holds, orphans } from './harness.js';
import { lateOf, PICTURE, resultsOf, type Call, type Script } from './script.js';

const CUSTOM = 'run';
const call = ({ id, name, input }: Call): ResponsesItem =>
  name === CUSTOM ? { type: 'custom_tool_call', call_id: id, name, input } : { type: 'function_call', call_id: id, name, arguments: JSON.stringify({ input }) };
const result = ({ id, name, result }: Call): ResponsesItem =>
  name === CUSTOM ? { type: 'custom_tool_call_output', call_id: id, output: result } : { type: 'function_call_output', call_id: id, output: [{ type: 'input_text', text: result }] };
const reasoning = (thought: string | undefined): ResponsesItem[] => (thought === undefined ? [] : [{ type: 'reasoning', id: `rs ${thought}`, summary: [], encrypted_content: `gAAAA${thought}` }]);

function build({ system, turns }: Script): ResponsesItem[] {
  const items: ResponsesItem[] = system === undefined ? [] : [{ role: 'developer', content: system }];
  turns.forEach((turn, i) => {
    const picture = { type: 'input_image', image_url: `data:image/png;base64,${PICTURE}` };
    items.push({ role: 'user', content: turn.picture ? [{ type: 'input_text', text: turn.asks }, picture] : turn.asks });
    items.push(...lateOf(turns[i - 1]).map(result));
    for (const step of turn.steps) {
      items.push(...reasoning(step.thought));
      if (step.closed) items.push({ type: 'web_search_call', id: `ws ${step.says}`, status: 'completed', action: { type: 'search', query: step.says } });
      items.push(...step.calls.map(call), ...resultsOf(step).map(result));
    }
    items.push(...reasoning(turn.thought), { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: turn.answer }] });
    if (i === 1) items.push({ type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAcompacted' });
  });
  return items;
}

/** Reasoning is refused without what it led to, and that without it. */
function parted(view: readonly ResponsesItem[], source: readonly ResponsesItem[]): string[] {
  const behind = (list: readonly ResponsesItem[], item: ResponsesItem): ResponsesItem | undefined => list[list.indexOf(item) + 1];
  const thoughts = source.filter(({ type }) => type === 'reasoning');
  return thoughts.flatMap((thought) => {
    const led = behind(source, thought);
    if (led === undefined || view.includes(thought) === view.includes(led)) return view.includes(thought) && behind(view, thought) !== led ? [`something came between ${thought.id} and what it led to`] : [];
    return [`${thought.id} is parted from what it led to`];
  });
}

holds<ResponsesItem>({
  format: openaiResponses,
  build,
  reply: (text) => ({ status: 'completed', output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }], usage: { input_tokens: 900, output_tokens: 20, total_tokens: 920 } }),
  isSystem: ({ type, role, content }) => type === 'compaction' || (role === 'developer' && typeof content === 'string'),
  isUser: ({ role, content }) => role === 'user' && !JSON.stringify(content).includes('[late result'),
  faults: (view, source) => [
    ...parted(view, source),
    ...orphans(view, source, ({ type, call_id }) => {
      const ids = typeof call_id === 'string' ? [call_id] : [];
      return type?.endsWith('_output') ? { calls: [], results: ids } : { calls: ids, results: [] };
    }),
  ],
});
