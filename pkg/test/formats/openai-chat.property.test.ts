import { type ChatMessage } from 'compaction-governor';
import { openaiChat } from 'compaction-governor/formats';
import { holds, orphans } from './harness.js';
import { lateOf, PICTURE, resultsOf, type Call, type Script } from './script.js';

interface Message extends ChatMessage {
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
}

const result = ({ id, result }: Call): Message => ({ role: 'tool', tool_call_id: id, content: result });

function build({ system, turns }: Script): Message[] {
  const messages: Message[] = system === undefined ? [] : [{ role: 'system', content: system }];
  turns.forEach((turn, i) => {
    const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } };
    messages.push({ role: 'user', content: turn.picture ? [{ type: 'text', text: turn.asks }, picture] : turn.asks });
    messages.push(...lateOf(turns[i - 1]).map(result));
    for (const step of turn.steps) {
      messages.push({ role: 'assistant', content: step.says, tool_calls: step.calls.map(({ id, name, input }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify({ input }) } })) });
      messages.push(...resultsOf(step).map(result));
    }
    messages.push({ role: 'assistant', content: turn.answer });
  });
  return messages;
}

holds<Message>({
  format: openaiChat,
  build,
  reply: (content) => ({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }], usage: { prompt_tokens: 900, completion_tokens: 20 } }),
  isSystem: ({ role, content }) => role === 'system' && !String(content).includes('<cg-summary>'),
  isUser: ({ role, content }) => role === 'user' && !String(content).startsWith('[late result'),
  faults: (view, source) => orphans(view, source, ({ tool_calls = [], tool_call_id }) => ({ calls: tool_calls.map(({ id }) => id), results: tool_call_id === undefined ? [] : [tool_call_id] })),
});
