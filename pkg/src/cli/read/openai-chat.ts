// OpenAI chat messages, in the shapes in which they are kept: a list of messages, a list of such lists (runs), one message
// a line, or whole requests with their responses, each of which repeats the conversation so far.

import { type Fields, fields, instant, isFields, list, text, tokens } from '../json.js';
import { Role, type TraceReader, type TraceStep } from '../trace.js';
import { type Draft, Entries, hash } from './entries.js';
import { isChat, isChatMessage, readChatMessage } from './openai-message.js';

/** Whether a value holds OpenAI chat messages in one of the shapes above. */
export function isOpenAiChat(value: unknown): boolean {
  const within = isFields(value) && Array.isArray(value['interactions']) ? list(value['interactions']) : list(value);
  if (within.length === 0) return isRecord(value);
  return isChat(within) || within.slice(0, LOOKED_AT).every((one) => isChat(one) || isRecord(one));
}

function isRecord(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { messages, response } = exchangeOf(value);
  if (isFields(value['response'])) return messages !== undefined && Array.isArray(response['choices']);
  return messages !== undefined || isChatMessage(value);
}

export class OpenAiChatReader implements TraceReader {
  #entries = new Entries();
  /** What the model was sent last, as hashes, to see what a next request adds. */
  #sent: string[] = [];
  #answerLast = false;
  #begun = false;
  #ordinal = 0;

  *record(value: unknown, line: number): Iterable<TraceStep> {
    if (!isFields(value) || Array.isArray(value['interactions'])) yield* this.document(value);
    else yield* this.#one(value, line, undefined);
  }

  *document(value: unknown): Iterable<TraceStep> {
    const interactions = fields(value)['interactions'];
    if (Array.isArray(value)) yield* this.#members(value);
    else if (Array.isArray(interactions)) yield* this.#members(interactions);
    else if (isFields(value)) yield* this.#one(value, undefined, undefined);
    else yield { kind: 'unreadable', line: this.#next(undefined), reason: 'not an object' };
  }

  *end(): Iterable<TraceStep> {}

  *#members(values: readonly unknown[]): Iterable<TraceStep> {
    if (isChat(values)) return yield* this.#conversation(values, { label: undefined });
    let run = 0;
    for (const value of values) {
      run += 1;
      if (isChat(value)) yield* this.#conversation(list(value), { label: `run ${run}` });
      else if (isFields(value)) yield* this.#one(value, undefined, `run ${run}`);
      else yield { kind: 'unreadable', line: this.#next(undefined), reason: 'neither messages nor a request' };
    }
  }

  *#one(value: Fields, line: number | undefined, label: string | undefined): Iterable<TraceStep> {
    const { messages, response, window } = exchangeOf(value);
    const at = instant(value['timestamp'] ?? response['created'] ?? value['created_at']);
    if (messages === undefined) {
      if (!this.#begun) yield* this.#begin({ line: line ?? 1, at, window });
      yield* this.#message(value, line, at);
    } else if (isFields(value['response']) || isFields(value['request'])) {
      yield* this.#exchange(messages, response, { line, at, window });
    } else {
      yield* this.#conversation(messages, { label: label ?? (line === undefined ? undefined : `line ${line}`), window, line, at });
    }
  }

  /** A conversation that is complete in itself: each answer in it was a model call. */
  *#conversation(messages: readonly unknown[], about: { label: string | undefined; window?: number | undefined; line?: number | undefined; at?: number | undefined }): Iterable<TraceStep> {
    this.#ordinal = 0;
    yield* this.#begin({ line: about.line ?? 1, at: about.at, label: about.label, window: about.window });
    for (const message of messages) yield* this.#message(message, about.line, about.at);
  }

  *#message(message: unknown, given: number | undefined, at: number | undefined): Iterable<TraceStep> {
    const line = this.#next(given);
    if (!isChatMessage(message)) {
      yield { kind: 'unreadable', line, reason: 'not a chat message' };
      return;
    }
    const draft = readChatMessage(message);
    const when = instant(message['timestamp'] ?? message['created_at']) ?? at;
    if (draft.role === Role.assistant) yield { kind: 'call', line, at: when, model: text(message['model']) || undefined };
    if (isFields(message['usage'])) yield { kind: 'usage', line, at: when, ...usageOf(message['usage']) };
    yield { kind: 'entry', line, at: when, entry: this.#entries.add(draft) };
  }

  /** One request and its response. The request repeats what was sent before; only what it adds is new. */
  *#exchange(messages: readonly unknown[], response: Fields, about: { line: number | undefined; at: number | undefined; window: number | undefined }): Iterable<TraceStep> {
    const { at, window } = about;
    const drafts = messages.filter(isChatMessage).map(readChatMessage);
    const keys = drafts.map((draft) => hash(draft).join('.'));
    const known = this.#sharedWith(drafts, keys);
    const goesOn = this.#begun && drafts.slice(0, known).some((draft) => draft.role !== Role.system);
    if (!goesOn) yield* this.#begin({ line: about.line ?? this.#ordinal + 1, at, window });
    const from = goesOn ? known : 0;
    const line = this.#next(about.line);
    if (goesOn && from < this.#sent.length) {
      this.#entries.rewind(from);
      this.#sent.length = from;
      yield { kind: 'rewind', line, at, entries: from };
    }
    for (const draft of drafts.slice(from)) yield { kind: 'entry', line, at, entry: this.#entries.add(draft) };
    this.#sent.push(...keys.slice(from));
    this.#answerLast = false;
    yield { kind: 'call', line, at, model: text(response['model']) || undefined };
    if (isFields(response['usage'])) yield { kind: 'usage', line, at, ...usageOf(response['usage']) };
    const answer = fields(list(response['choices'])[0])['message'];
    if (isChatMessage(answer)) {
      const draft = readChatMessage(answer);
      yield { kind: 'entry', line, at, entry: this.#entries.add(draft) };
      this.#sent.push(hash(draft).join('.'));
      this.#answerLast = true;
    }
  }

  /** How many leading messages were sent before. The last answer may have come back in other words: hosts trim and mend it. */
  #sharedWith(drafts: readonly Draft[], keys: string[]): number {
    const last = this.#sent.length - 1;
    const answer = keys[last];
    if (this.#answerLast && answer !== undefined && drafts[last]?.role === Role.assistant) this.#sent[last] = answer;
    const shared = keys.findIndex((key, index) => key !== this.#sent[index]);
    return shared === -1 ? keys.length : shared;
  }

  *#begin(session: { line: number; at?: number | undefined; label?: string | undefined; window?: number | undefined }): Iterable<TraceStep> {
    this.#begun = true;
    this.#entries = new Entries();
    this.#sent = [];
    this.#answerLast = false;
    yield { kind: 'session', ...session };
  }

  /** In a document there are no lines to name; messages and requests are counted instead. */
  #next(line: number | undefined): number {
    this.#ordinal += 1;
    return line ?? this.#ordinal;
  }
}

/** Finds the messages, the response and the window in a record, under the names that logs give them. */
function exchangeOf(record: Fields): { messages: readonly unknown[] | undefined; response: Fields; window: number | undefined } {
  const request = fields(record['request']);
  const places = [record['messages'], record['traj'], request['messages'], fields(request['body'])['messages'], fields(record['body'])['messages']];
  const answered = fields(record['response']);
  return {
    messages: places.map(list).find(isChat),
    response: isFields(answered['body']) ? answered['body'] : answered,
    window: tokens(record['context_window']) || tokens(request['context_window']) || undefined,
  };
}

function usageOf(usage: Fields): { promptTokens: number; outputTokens: number } {
  return { promptTokens: tokens(usage['prompt_tokens']), outputTokens: tokens(usage['completion_tokens']) };
}

const LOOKED_AT = 20;
