// What a reader must know of a format whose conversations are lists of messages: where the messages lie and what one holds.

import { type Fields, fields, isFields, list, tokens } from '../json.js';
import type { Draft } from './entries.js';

/** One format, as field paths. None of its functions throws, whatever it is given. */
export interface Shape {
  isMessage(value: unknown): value is Fields;
  /** The entries of one message: one, or one for each tool result that it carries. */
  drafts(message: Fields): readonly Draft[];
  /** The messages of a conversation or of a request body, under the names that the format gives them. */
  messages(body: Fields): readonly unknown[];
  /** Whether a response is one of this format's. */
  isResponse(response: Fields): boolean;
  /** What a response answers: a message, or several where the format keeps them apart. */
  answer(response: Fields): readonly unknown[];
  /** What the provider counted, in a response or beside a message. Absent is not zero. */
  usage(holder: Fields): Counted | undefined;
  /** Whether a response is that of a summariser's own request, and no step of the conversation. */
  isPass?(response: Fields): boolean;
}

/** What the provider counted for one call: the whole prompt, cache reads included. */
export interface Usage {
  promptTokens: number;
  outputTokens: number;
}

export interface Counted extends Usage {
  /** What a compaction cost that the provider made inside of the call. */
  pass?: Usage | undefined;
}

/** One record of a log: a conversation, or a request with its response. */
export interface Exchange {
  messages: readonly unknown[];
  response: Fields | undefined;
  /** The window, where the record states one. */
  window: number | undefined;
  /** The names by which requests refer to the answers before them. */
  id: unknown;
  previous: unknown;
}

/** Finds the messages and the response of a record, under the names that logs give them; undefined where it holds none. */
export function exchangeOf(shape: Shape, record: Fields): Exchange | undefined {
  const request = fields(record['request']);
  const bodies = [record, request, fields(request['body']), fields(record['body']), fields(record['values'])];
  const answered = fields(record['response']);
  const response = isFields(answered['body']) ? answered['body'] : answered;
  const stated = isFields(record['response']);
  if (stated && !shape.isResponse(response)) return undefined;
  for (const body of bodies) {
    const messages = shape.messages(body);
    const chained = typeof body['previous_response_id'] === 'string' && stated;
    if (!isConversation(shape, messages) && !(chained && messages.length === 0)) continue;
    return {
      messages,
      response: stated || isFields(record['request']) ? response : undefined,
      window: tokens(record['context_window']) || tokens(request['context_window']) || undefined,
      id: response['id'],
      previous: body['previous_response_id'],
    };
  }
  return undefined;
}

/** Whether a value is a list that begins with messages. Later members are judged one by one. */
export function isConversation(shape: Shape, value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.slice(0, LOOKED_AT).every((one) => shape.isMessage(one));
}

/** Whether a value holds messages of this shape: a list of them, a list of such lists or of records, or one record. */
export function holdsMessages(shape: Shape, value: unknown): boolean {
  const within = isFields(value) && Array.isArray(value['interactions']) ? list(value['interactions']) : list(value);
  if (within.length === 0) return isRecord(shape, value);
  return isConversation(shape, within) || within.slice(0, LOOKED_AT).every((one) => isConversation(shape, one) || isRecord(shape, one));
}

function isRecord(shape: Shape, value: unknown): boolean {
  return isFields(value) && (shape.isMessage(value) || exchangeOf(shape, value) !== undefined);
}

const LOOKED_AT = 20;
