// The entry point `compaction-governor/formats`: one constant for each kind of message.

export { openaiChat } from './openai-chat.js';
