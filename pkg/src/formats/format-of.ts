// The reader that a session works with: the format it was given, and how its host marks summaries of its own.

import { compactionError } from '../errors.js';
import type { SessionOptions } from '../surface.js';
import { isFields } from './shape/json.js';
import { openAiChat } from './openai/openai-chat.js';
import { Flag, type Reader } from './reader.js';
import type { FormatReader } from './shape/reader-of.js';

export function readerFor<M>({ format, hostSummary }: Pick<SessionOptions<M>, 'format' | 'hostSummary'>): Reader<M> {
  const reader: unknown = format ?? openAiChat<M>();
  if (!isFormat<M>(reader)) throw compactionError('invalid_option', 'format is not one of this package; import one from compaction-governor/formats');
  if (typeof hostSummary === 'string' && hostSummary !== '') return reader.marked(hostSummary);
  return typeof hostSummary === 'function' ? told(reader, hostSummary) : reader;
}

/** Which messages are summaries is the host's to say. */
function told<M>(reader: Reader<M>, isSummary: (message: M) => boolean): Reader<M> {
  const message: Reader<M>['message'] = (message, count) => {
    const reading = reader.message(message, count);
    return isOwn<M>(message) && isSummary(message) ? { ...reading, flags: reading.flags | Flag.hostSummary } : reading;
  };
  return { ...reader, message };
}

/** The message type is the host's promise: what it hands over is of that type. */
function isOwn<M>(message: unknown): message is M {
  return message !== undefined;
}

/** Formats come from another entry point of the package, so they are told by what they can do. */
function isFormat<M>(format: unknown): format is FormatReader<M> {
  return isFields(format) && typeof format.name === 'string' && NEEDED.every((method) => typeof format[method] === 'function');
}

const NEEDED: readonly (keyof FormatReader<unknown>)[] = ['message', 'id', 'text', 'summaryMessage', 'lateResult', 'requestMessages', 'instruction', 'replaced', 'capped', 'withoutMedia', 'closing', 'usage', 'reply', 'overflow', 'failure', 'marked'];
