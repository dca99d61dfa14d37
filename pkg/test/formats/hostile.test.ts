import { anthropic } from '../../src/formats/anthropic/anthropic.js';
import { gemini } from '../../src/formats/gemini/gemini.js';
import { openAiChat } from '../../src/formats/openai/openai-chat.js';
import { openaiResponses } from '../../src/formats/openai/openai-responses.js';
import { withstands } from './hostile.js';

withstands(openAiChat<unknown>(), {
  content: (content) => ({ role: 'user', content }),
  result: (content) => ({ role: 'tool', tool_call_id: content, content }),
  call: (input) => ({ role: 'assistant', content: [input], tool_calls: [{ id: input, function: { name: 'f', arguments: input } }, input] }),
});

withstands(openaiResponses, {
  content: (content) => ({ type: 'message', role: 'user', content }),
  call: (input) => ({ type: 'function_call', call_id: 'c', name: input, arguments: input }),
  output: (output) => ({ type: 'shell_call_output', call_id: 'c', output }),
  reasoning: (content) => ({ type: 'reasoning', encrypted_content: content, summary: content }),
});

withstands(anthropic, {
  content: (content) => ({ role: 'user', content }),
  call: (input) => ({ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input }, { type: 'thinking', thinking: input }] }),
  result: (content) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] }),
});

withstands(gemini, {
  text: (text) => ({ role: 'user', parts: [{ text }] }),
  call: (args) => ({ role: 'model', parts: [{ functionCall: { name: 'f', args } }, args] }),
  response: (response) => ({ role: 'user', parts: [{ functionResponse: { name: 'f', response, parts: [response] } }] }),
});
