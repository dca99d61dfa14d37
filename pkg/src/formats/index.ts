// The entry point `compaction-governor/formats`: one constant for each kind of message.

export { openaiChat } from './openai-chat.js';
export { aiSdkModel } from './ai-sdk-model.js';
export { aiSdkUi, tanstackUi } from './ai-sdk-ui.js';
export { langchain } from './langchain.js';
export { promptApi } from './prompt-api.js';
