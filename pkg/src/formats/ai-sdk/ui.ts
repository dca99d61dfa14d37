// UI messages of the AI SDK and of TanStack AI: a call and its result share one part, or stand in one message.

import { Digest } from '../../text/digest.js';
import { readAiSdkReply, readAiSdkUsage } from './result.js';
import { cutOutput, withoutMediaIn } from './output.js';
import { describeUi, isUiFile, placeholderFor } from './ui-parts.js';
import { isSigned } from './media.js';
import { withOutputs, withoutResults } from './ui-results.js';
import { textAt } from '../shape/json.js';
import { lateResultText } from '../shape/made.js';
import type { Reader } from '../reader.js';
import { capped, replaced, withoutMedia, type Rules } from '../shape/rewrite.js';
import { readerOf } from '../shape/reader-of.js';

/** A UI message, by structure. */
export interface UiMessage {
  id: string;
  role: 'system' | 'user' | 'assistant';
  parts: unknown[];
}

const rules: Rules = {
  texts: new Set(['text', 'content', 'errorText']),
  data: new Set(['input', 'arguments', 'rawInput']),
  media: isUiFile,
  placeholder: placeholderFor,
  sealed: (part) => (part.type === 'reasoning' || part.type === 'thinking') && isSigned(part),
  result: () => undefined,
};

/**
 * UI messages of the AI SDK (`useChat`). The messages that this library makes are in the user's name, marked: version 7
 * refuses system messages among the others, and several providers take them only in front.
 */
export const aiSdkUi = /* @__PURE__ */ uiReader({
  name: 'ai_sdk_ui',
  textPart: (text) => ({ type: 'text', text }),
  // Nothing that follows a message can close a call in it; `convertToModelMessages` leaves such calls out where it is
  // told to (`ignoreIncompleteToolCalls`).
  closing: () => [],
});

/** UI messages of TanStack AI, whose text parts hold `content`, and whose results are parts of their own. */
export const tanstackUi = /* @__PURE__ */ uiReader({
  name: 'tanstack_ui',
  textPart: (content) => ({ type: 'text', content }),
  closing: (calls, content) => [{ id: idOf([...calls, content]), role: 'assistant', parts: calls.map((toolCallId) => ({ type: 'tool-result', toolCallId, content, state: 'complete' })) }],
});

interface Dialect extends Pick<Reader<UiMessage>, 'name' | 'closing'> {
  textPart(text: string): unknown;
}

function uiReader({ name, textPart, closing }: Dialect) {
  const user = (...texts: string[]): UiMessage => ({ id: idOf(texts), role: 'user', parts: texts.map(textPart) });
  return readerOf<UiMessage>({
    name,
    describe: describeUi,
    rules,
    id: (message) => textAt(message, 'id') || undefined,
    summaryMessage: (text) => user(text),
    lateResult: (text) => user(lateResultText(text)),
    requestMessages: (system, request) => [user(system, request)],
    instruction: (text) => user(text),
    replaced: (message, text) => replaced(withoutResults(message, text), text, rules),
    capped: (message, bytes) => capped(withOutputs(message, (output) => cutOutput(output, bytes)), bytes, rules),
    withoutMedia: (message) => withoutMedia(withOutputs(message, withoutMediaIn), rules),
    closing,
    usage: readAiSdkUsage,
    reply: readAiSdkReply,
  });
}

/** Equal texts give equal ids, so that equal views are equal bytes. */
function idOf(texts: readonly string[]): string {
  const digest = new Digest();
  for (const text of texts) digest.text(text);
  return `cg-${digest.hi.toString(16)}-${digest.lo.toString(16)}`;
}
