// gemini-cli chat JSON: messages for the screen, where one of the model's may stand for several requests and has the
// usage of one. Messages of other kinds (`info`, `error`) no model reads.

import { type Fields, fields, instant, isFields, list, text, tokens, written } from '../../json.js';
import { Role, type TraceReader, type TraceStep } from '../../trace.js';
import { blankAnswer, type Draft, Entries } from '../entries.js';
import { mediaBytes } from '../media.js';
import { HeldCall, type Place } from './held-call.js';

/** Whether a value is a chat of gemini-cli. */
export function isGeminiCli(value: Fields): boolean {
  return typeof value['sessionId'] === 'string' && typeof value['projectHash'] === 'string' && Array.isArray(value['messages']);
}

export class GeminiCliReader implements TraceReader {
  *record(value: unknown, line: number): Iterable<TraceStep> {
    yield* this.#chat(value, `line ${line}`);
  }

  *document(value: unknown): Iterable<TraceStep> {
    yield* this.#chat(value, undefined);
  }

  *end(): Iterable<TraceStep> {}

  *#chat(value: unknown, label: string | undefined): Iterable<TraceStep> {
    const entries = new Entries();
    yield { kind: 'session', line: 1, label, at: instant(fields(value)['startTime']) };
    for (const [index, message] of list(fields(value)['messages']).entries()) {
      const place = { line: index + 1, at: instant(fields(message)['timestamp']) };
      if (!isFields(message)) yield { kind: 'unreadable', line: place.line, reason: 'not a message' };
      else if (message['type'] === 'gemini') yield* this.#answer(message, place, entries);
      else if (message['type'] === 'user') yield { kind: 'entry', ...place, entry: entries.add({ role: Role.user, ...readContent(message['content']) }) };
    }
  }

  *#answer(message: Fields, place: Place, entries: Entries): Iterable<TraceStep> {
    const call = new HeldCall(blankAnswer(), place, { model: text(message['model']) || undefined });
    for (const thought of list(message['thoughts']).map(fields)) call.answer.texts.push(text(thought['subject']), text(thought['description']));
    call.answer.texts.push(...readContent(message['content']).texts);
    for (const tool of list(message['toolCalls']).map(fields)) readTool(tool, call, place);
    const usage = message['tokens'];
    // The cached part is inside of the input.
    if (isFields(usage)) call.count({ promptTokens: tokens(usage['input']), outputTokens: tokens(usage['output']) }, place);
    yield* call.settle(entries);
  }
}

function readTool(tool: Fields, call: HeldCall, place: Place): void {
  const id = text(tool['id']);
  call.answer.texts.push(text(tool['name']), written(tool['args']));
  call.answer.calls.push(id);
  const result = tool['result'];
  if (result === undefined || result === null) return;
  const responses = list(result).map((part) => fields(fields(part)['functionResponse']));
  const texts = responses.length > 0 ? responses.map((response) => written(response['response'])) : [written(result)];
  const media = list(result).filter((part) => isFields(fields(part)['inlineData']));
  call.result({ role: Role.tool, texts, images: media.length, mediaBytes: mediaBytes(media), answers: id }, { ...place, at: instant(tool['timestamp']) ?? place.at });
}

function readContent(content: unknown): Pick<Draft, 'texts' | 'images' | 'mediaBytes'> & { texts: string[] } {
  if (typeof content === 'string') return { texts: [content] };
  const parts = list(content).map(fields);
  const media = parts.filter((part) => isFields(part['inlineData']));
  return { texts: parts.map((part) => text(part['text'])), images: media.length, mediaBytes: mediaBytes(media) };
}
