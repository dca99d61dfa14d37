// How the messages of a format are mended, by the package's own readers.

import { aiSdkModel } from '../../../formats/ai-sdk/model.js';
import { approvalId } from '../../../formats/ai-sdk/model-results.js';
import { aiSdkUi } from '../../../formats/ai-sdk/ui.js';
import { anthropic } from '../../../formats/anthropic/anthropic.js';
import { gemini } from '../../../formats/gemini/gemini.js';
import { langchain } from '../../../formats/langchain/langchain.js';
import { openaiChat } from '../../../formats/openai/openai-chat.js';
import { openaiResponses } from '../../../formats/openai/openai-responses.js';
import { type Fields, fields, isFields, list, text } from '../../json.js';
import type { Format } from '../../read/formats.js';
import { shareGpt } from '../../read/shapes/sharegpt.js';
import type { Change } from './changes.js';

/** All of a format's reader that mending needs. */
export interface MessageWriter {
  message(message: unknown): { readonly calls: readonly string[] };
  withoutMedia(message: object): object;
  /** `like`: the message that they stand behind. */
  closing(calls: readonly string[], text: string, like: Fields): readonly object[];
}

export const WRITERS: Readonly<Partial<Record<Format, MessageWriter>>> = {
  openai_chat: openaiChat,
  openai_responses: openaiResponses,
  anthropic,
  gemini,
  ui_messages: aiSdkUi,
  model_messages: aiSdkModel,
  langchain: { message: langchain.message, withoutMedia: langchain.withoutMedia, closing: toolMessages },
  sharegpt: { message: (message) => ({ calls: shareGpt.drafts(fields(message)).flatMap(({ calls }) => calls ?? []) }), withoutMedia: (message) => message, closing: observations },
};

/** Exports name no calls: what follows one answers it, in the words that it is named with. */
function observations(calls: readonly string[], value: string, { from }: Fields): object[] {
  return calls.map(() => ({ from: from === 'tool_call' ? 'tool_response' : 'observation', value }));
}

/** LangChain messages in a file are plain, stored (`data`) or serialised (`kwargs`). */
function toolMessages(calls: readonly string[], content: string, like: Fields): object[] {
  return calls.map((tool_call_id) => {
    const body = { content, tool_call_id, status: 'error' };
    if (isFields(like['data'])) return { type: 'tool', data: body };
    if (isFields(like['kwargs'])) return { ...like, id: [...list(like['id']).slice(0, -1), 'ToolMessage'], kwargs: body };
    return { type: 'tool', ...body };
  });
}

/** What stands in a message's place after its changes: nothing, itself, or itself and results behind it. */
export function mendedMessage(message: Fields, changes: readonly Change[], writer: MessageWriter): object[] {
  let left: Fields | undefined = message;
  let behind: readonly object[] = [];
  for (const change of changes) {
    if (left === undefined) break;
    if (change.action === 'collapse') left = undefined;
    else if (change.action === 'drop') left = withoutResult(left, change.answers);
    else if (change.action === 'merge') left = saying(left, change.text);
    else if (change.action === 'close') {
      const inside = closedInside(left, change.calls);
      left = inside ?? left;
      if (inside === undefined) behind = closingFor(left, change.calls, writer);
    }
    else left = fields(writer.withoutMedia(left));
  }
  return left === undefined ? [] : [left, ...behind];
}

/** The same message with one text, in the place where its format keeps text. */
export function saying(message: Fields, said: string): Fields {
  for (const member of ['data', 'kwargs']) {
    const body = message[member];
    if (isFields(body) && 'content' in body) return { ...message, [member]: saying(body, said) };
  }
  for (const member of ['content', 'value']) if (typeof message[member] === 'string') return { ...message, [member]: said };
  const member = Array.isArray(message['parts']) ? 'parts' : 'content';
  const part = list(message[member]).map(fields).find((one) => typeof one['text'] === 'string') ?? { type: 'text' };
  return { ...message, [member]: [{ ...part, text: said }] };
}

/** The formats name a call each in their own way; where all of a message's calls are open, the reader's own names are right. */
function closingFor(message: Fields, open: readonly string[], writer: MessageWriter): readonly object[] {
  const { calls } = writer.message(message);
  const wanted = open.length >= calls.length ? calls : calls.filter((id) => open.some((one) => id === one || id.endsWith(` ${one}`)));
  return writer.closing(wanted, NO_RESULT, message);
}

/** UIMessages hold a call and its result together; undefined where a message is none of them. */
function closedInside(message: Fields, open: readonly string[]): Fields | undefined {
  const parts = list(message['parts']).map(fields);
  const closed = parts.flatMap((part): Fields[] => {
    const { type, id, toolCallId } = part;
    if (type === 'tool-call' && open.includes(text(id))) return [part, { type: 'tool-result', toolCallId: id, content: NO_RESULT, state: 'complete' }];
    const waits = typeof toolCallId === 'string' && type !== 'tool-result' && open.includes(toolCallId);
    return [waits ? { ...part, state: 'output-error', errorText: NO_RESULT } : part];
  });
  return closed.some((part) => !parts.includes(part)) ? { ...message, parts: closed } : undefined;
}

/** A message may hold several results, and words beside them: it goes where nothing else is left in it. */
function withoutResult(message: Fields, answers: string | undefined): Fields | undefined {
  for (const member of ['content', 'parts']) {
    const parts = message[member];
    if (!Array.isArray(parts)) continue;
    const rest = parts.filter((part) => !isResultFor(fields(part), answers));
    if (rest.length < list(parts).length) return rest.length === 0 ? undefined : { ...message, [member]: rest };
  }
  return undefined;
}

function isResultFor(part: Fields, answers: string | undefined): boolean {
  const response = fields(part['functionResponse'] ?? part['function_response']);
  const named = response['id'] ?? (response['name'] === undefined ? undefined : `function ${String(response['name'])}`);
  const sdk = part['type'] === 'tool-approval-response' ? approvalId(part) : part['type'] === 'tool-result' ? part['toolCallId'] : undefined;
  return (part['tool_use_id'] ?? sdk ?? named) === answers;
}

/** What the model reads instead of a result that never came. */
export const NO_RESULT = '[no result: the call was given up]';
