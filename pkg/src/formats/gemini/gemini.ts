// Gemini contents: parts, calls without ids, no system slot and no message ids. Field paths only.

import { geminiReply, geminiUsage } from './gemini-reply.js';
import { isFields, textAt, type Fields } from '../shape/json.js';
import type { Pieces } from '../shape/pieces.js';
import { Role } from '../reader.js';
import type { Rules } from '../shape/rewrite.js';
import { readerOf, type FormatReader } from '../shape/reader-of.js';

/** Only what is read; the types of client libraries fit it. */
export interface GeminiContent {
  role?: string;
  parts?: unknown[];
}

const rules: Rules = {
  texts: new Set(['text', 'output']),
  data: new Set(['args', 'response']),
  media: (part) => (mediaOf(part) ? kindOf(mediaOf(part)) : undefined),
  // The parts of a function's response hold nothing but media.
  placeholder: (text, _part, holder) => (holder && 'response' in holder ? undefined : { text }),
  sealed: (part) => (isSigned(part) || part.thought === true) && mediaOf(part) === undefined,
  result: (part) => ('response' in part && 'name' in part ? 'response' : undefined),
  resultOf: (output) => ({ output }),
};

/** Contents of the Gemini API. The system instruction is no content; it counts as overhead. */
export const gemini: FormatReader<GeminiContent> = /* @__PURE__ */ readerOf<GeminiContent>({
  name: 'gemini',
  describe,
  rules,
  summaryMessage: userContent,
  lateResult: (text) => userContent(`[late result of a tool call that was summarised above]\n${text}`),
  requestMessages: (system, user) => [userContent(`${system}\n\n${user}`)],
  instruction: userContent,
  closing: closingOf,
  usage: geminiUsage,
  reply: geminiReply,
});

function describe(message: unknown, to: Pieces): void {
  if (typeof message === 'string') return to.text(message);
  if (!isFields(message)) return;
  to.role(roleOf(message));
  if (!Array.isArray(message.parts)) return;
  const ids = new Occurrences();
  for (const part of message.parts) describePart(part, to, ids);
}

function describePart(part: unknown, to: Pieces, ids: Occurrences): void {
  if (!isFields(part)) return typeof part === 'string' ? to.text(part) : undefined;
  const media = mediaOf(part);
  const called = part.functionCall ?? part.function_call;
  const answered = part.functionResponse ?? part.function_response;
  if (isFields(called)) to.call(ids.next(called), called.name, called.args);
  else if (isFields(answered)) describeResponse(answered, to, ids);
  else if (media !== undefined) to.media(kindOf(media), media);
  else if (part.thought === true) to.reasoning(part.text);
  else if (typeof part.text === 'string') to.text(part.text);
  else describeRest(part, to);
  if (part.text === '' && isSigned(part)) to.reasoning(part.thoughtSignature);
}

function describeResponse(answered: Fields, to: Pieces, ids: Occurrences): void {
  to.become(Role.tool);
  to.answer(ids.next(answered));
  to.value(answered.response);
  if (!Array.isArray(answered.parts)) return;
  for (const part of answered.parts) {
    const media = isFields(part) ? mediaOf(part) : undefined;
    if (media !== undefined) to.media(kindOf(media), media);
  }
}

/** Code and tools that the provider runs: their result stands in the same content. */
function describeRest(part: Fields, to: Pieces): void {
  const code = part.executableCode ?? part.executable_code;
  const result = part.codeExecutionResult ?? part.code_execution_result;
  if (isFields(code)) to.closedCall('code', code.code);
  else if (isFields(result)) to.text(textAt(result, 'output') ?? '');
  else for (const key of SERVER_PARTS) if (isFields(part[key])) to.value(part[key]);
}

/**
 * Ids for calls and results, which need none here: the second call of `read` in one content goes with the second result
 * of `read` in the next. Ids that are there are not used: hosts send results without the id that came with the call.
 */
class Occurrences {
  readonly #seen = new Map<string, number>();

  next(part: Fields): string {
    const name = textAt(part, 'name') ?? '';
    const before = this.#seen.get(name) ?? 0;
    this.#seen.set(name, before + 1);
    return `${before} ${name}`;
  }
}

/** Without a role it is a user's. */
function roleOf({ role }: Fields): number {
  if (role === 'user' || role === undefined) return Role.user;
  if (role === 'function' || role === 'tool') return Role.tool;
  return role === 'system' ? Role.system : Role.assistant;
}

function mediaOf(part: Fields): Fields | undefined {
  const media = part.inlineData ?? part.inline_data ?? part.fileData ?? part.file_data;
  return isFields(media) ? media : undefined;
}

/** `image/png` is an image, `application/pdf` a file. */
function kindOf(media: Fields | undefined): string {
  const [kind] = (textAt(media, 'mimeType') ?? textAt(media, 'mime_type') ?? '').split('/', 1);
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file';
}

function isSigned(part: Fields): boolean {
  return typeof part.thoughtSignature === 'string' || typeof part.thought_signature === 'string';
}

function userContent(text: string): GeminiContent {
  return { role: 'user', parts: [{ text }] };
}

function closingOf(calls: readonly string[], output: string): GeminiContent[] {
  const parts = calls.map((id) => ({ functionResponse: { name: id.slice(id.indexOf(' ') + 1), response: { output } } }));
  return parts.length === 0 ? [] : [{ role: 'user', parts }];
}

const SERVER_PARTS = ['toolCall', 'toolResponse'];
