// The entry point `compaction-governor/formats`: one constant for each kind of message.

export { anthropic } from './anthropic.js';
export { gemini } from './gemini.js';
export { openaiChat } from './openai-chat.js';
export { openaiResponses } from './openai-responses.js';
