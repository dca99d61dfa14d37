// Model messages of the AI SDK: what `generateText`, `streamText` and `prepareStep` take.

import { describeModelMessage, isModelFile } from './model-parts.js';
import { approvalOf, withToolOutputs } from './model-results.js';
import { isSigned } from './media.js';
import { cutOutput, withoutMediaIn } from './output.js';
import { readAiSdkReply, readAiSdkUsage } from './result.js';
import { withoutBlobs } from '../shape/blob.js';
import { cutText } from '../shape/cut.js';
import { lateResultText } from '../shape/made.js';
import { capped, withoutMedia, type Rules } from '../shape/rewrite.js';
import { readerOf } from '../shape/reader-of.js';

/** A model message, by structure. */
export interface ModelMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: unknown;
}

const rules: Rules = {
  texts: new Set(['content', 'text']),
  data: new Set(['input']),
  media: isModelFile,
  placeholder: (text) => ({ type: 'text', text }),
  sealed: (part) => part.type === 'reasoning' && isSigned(part),
  result: (part) => (part.type === 'tool-result' ? 'output' : undefined),
  resultOf: (value) => ({ type: 'text', value }),
};

/**
 * Model messages of the AI SDK. The messages that this library makes are in the user's name, marked: version 7 refuses
 * system messages among the others, and several providers take them only in front.
 */
export const aiSdkModel = /* @__PURE__ */ readerOf<ModelMessage>({
  name: 'ai_sdk_model',
  describe: describeModelMessage,
  rules,
  summaryMessage: user,
  lateResult: (text) => user(lateResultText(text)),
  requestMessages: (system, request) => [{ role: 'user', content: [textPart(system), textPart(request)] }],
  instruction: user,
  capped: (message, bytes) => capped(withToolOutputs(message, (text) => cutText(text, bytes), (value) => cutOutput(value, bytes)), bytes, rules),
  withoutMedia: (message) => withoutMedia(withToolOutputs(message, withoutBlobs, withoutMediaIn), rules),
  closing: (calls, text) => [{ role: 'tool', content: calls.map((id) => closingPart(id, text)) }],
  usage: readAiSdkUsage,
  reply: readAiSdkReply,
});

function user(content: string): ModelMessage {
  return { role: 'user', content };
}

function textPart(text: string): unknown {
  return { type: 'text', text };
}

function closingPart(id: string, text: string): unknown {
  const approvalId = approvalOf(id);
  if (approvalId !== undefined) return { type: 'tool-approval-response', approvalId, approved: false, reason: text };
  return { type: 'tool-result', toolCallId: id, toolName: 'tool', output: { type: 'error-text', value: text } };
}
