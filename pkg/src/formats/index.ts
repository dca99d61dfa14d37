// The entry point `compaction-governor/formats`: one constant for each kind of message.

export { aiSdkModel } from './ai-sdk/model.js';
export { aiSdkUi, tanstackUi } from './ai-sdk/ui.js';
export { anthropic } from './anthropic/anthropic.js';
export { gemini } from './gemini/gemini.js';
export { langchain } from './langchain/langchain.js';
export { openaiChat } from './openai/openai-chat.js';
export { openaiResponses } from './openai/openai-responses.js';
export { promptApi } from './prompt-api/prompt-api.js';
