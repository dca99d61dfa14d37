import { anthropic, type AnthropicMessage } from 'compaction-governor/formats';
import { holds, orphans } from './harness.js';
import { PICTURE, resultsOf, type Call, type Script, type Step } from './script.js';

interface Block {
  type: string;
  id?: string;
  tool_use_id?: string;
  [field: string]: unknown;
}
interface Message extends AnthropicMessage {
  content: string | Block[];
}

const text = (text: string): Block => ({ type: 'text', text });
const thinking = (thought: string | undefined): Block[] => (thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature: `sig ${thought}` }]);
const result = ({ id, result }: Call): Block => ({ type: 'tool_result', tool_use_id: id, content: [text(result)] });

/** A search that the provider runs has its result in the same message. */
function search({ closed, says }: Step): Block[] {
  const id = `srv ${says}`;
  const found = { type: 'web_search_result', url: 'https://a', title: says, encrypted_content: 'E' };
  return closed ? [{ type: 'server_tool_use', id, name: 'web_search', input: { query: says } }, { type: 'web_search_tool_result', tool_use_id: id, content: [found] }] : [];
}

/** All results of a step stand in the next message; there is no other place for them, so none is late. */
function build({ turns }: Script): Message[] {
  const messages: Message[] = [];
  for (const turn of turns) {
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } };
    messages.push({ role: 'user', content: turn.picture ? [text(turn.asks), picture] : turn.asks });
    for (const step of turn.steps) {
      const uses = step.calls.map(({ id, name, input }): Block => ({ type: 'tool_use', id, name, input: { input } }));
      const results = resultsOf(step).map(result);
      messages.push({ role: 'assistant', content: [...thinking(step.thought), ...search(step), text(step.says), ...uses] });
      if (results.length > 0) messages.push({ role: 'user', content: results });
    }
    messages.push({ role: 'assistant', content: [...thinking(turn.thought), text(turn.answer)] });
  }
  return messages;
}

function ids({ content }: Message): { calls: string[]; results: string[] } {
  const blocks = typeof content === 'string' ? [] : content;
  const own = blocks.flatMap(({ type, id }) => (type === 'tool_use' && id !== undefined ? [id] : []));
  return { calls: own, results: blocks.flatMap(({ type, tool_use_id }) => (type === 'tool_result' && tool_use_id !== undefined ? [tool_use_id] : [])) };
}

/** Results are refused anywhere but right behind their calls, and a conversation begins with a user. */
function misplaced(view: readonly Message[]): string[] {
  const faults = view.flatMap((message, i) => {
    const before = view[i - 1];
    const asked = new Set(before ? ids(before).calls : []);
    return ids(message).results.filter((id) => !asked.has(id)).map((id) => `result ${id} not right behind its call`);
  });
  return view[0]?.role === 'assistant' ? [...faults, 'it begins with the model'] : faults;
}

holds<Message>({
  format: anthropic,
  build,
  reply: (content) => ({ type: 'message', role: 'assistant', content: [text(content)], stop_reason: 'end_turn', usage: { input_tokens: 900, output_tokens: 20 } }),
  isSystem: () => false,
  isUser: (message) => message.role === 'user' && ids(message).results.length === 0 && !JSON.stringify(message.content).includes('<cg-summary>'),
  faults: (view, source) => [...misplaced(view), ...orphans(view, source, ids)],
});
