// Kimi CLI wire JSONL: messages appended to the context, and events of the loop in between.
//
// `usage.record` repeats what `step.end` says; only the first is read. A compaction is recorded whole: its own request and
// usage stand before it, and its `tokensBefore` leaves out what is no message.

import { type Fields, fields, instant, isFields, list, text, tokens, written } from '../../json.js';
import { Flag, Role, type Cost, type TraceReader, type TraceStep } from '../../trace.js';
import { blankAnswer, type Draft, Entries } from '../entries.js';
import type { Usage } from '../shape.js';
import { HeldCall, type Place } from './held-call.js';
import { mediaBytes } from '../media.js';
import { rough } from '../../../text/rough.js';

/** Whether a record can only come from Kimi CLI. */
export function isKimi(record: Fields): boolean {
  const type = text(record['type']);
  if (type === 'metadata') return typeof record['protocol_version'] === 'string';
  return KIMI_TYPES.has(type) && typeof record['time'] === 'number';
}

export class KimiReader implements TraceReader {
  #entries = new Entries();
  #begun = false;
  #held: HeldCall | undefined;
  #clock: number | undefined;
  #trigger: string | undefined;
  #cost: Cost | undefined;
  /** Whether the request that was made last is a summariser's. */
  #summarising = false;

  *record(value: unknown, line: number): Iterable<TraceStep> {
    if (!isFields(value)) {
      yield { kind: 'unreadable', line, reason: 'not an object' };
      return;
    }
    this.#clock = instant(value['time']) ?? this.#clock;
    const place = { line, at: this.#clock };
    if (!this.#begun) yield { kind: 'session', ...place };
    this.#begun = true;
    yield* this.#line(value, place);
  }

  *end(): Iterable<TraceStep> {
    yield* this.#settle();
  }

  *#line(record: Fields, place: Place): Iterable<TraceStep> {
    switch (record['type']) {
      case 'context.append_message':
        yield* this.#settle();
        yield { kind: 'entry', ...place, entry: this.#entries.add(readMessage(fields(record['message']))) };
        return;
      case 'llm.request':
        return yield* this.#request(record, place);
      case 'context.append_loop_event':
        return this.#event(fields(record['event']), place);
      case 'usage.record':
        return this.#usage(fields(record['usage']), place);
      case 'full_compaction.begin':
        this.#trigger = text(record['source']) || undefined;
        return;
      case 'context.apply_compaction':
        return yield* this.#compaction(record, place);
    }
  }

  *#request(record: Fields, place: Place): Iterable<TraceStep> {
    yield* this.#settle();
    this.#summarising = record['kind'] === 'compaction';
    if (!this.#summarising) this.#held = new HeldCall(blankAnswer(), place, { model: text(record['model']) || undefined });
  }

  #event(event: Fields, place: Place): void {
    const part = fields(event['part']);
    if (event['type'] === 'content.part') this.#held?.answer.texts.push(text(part['text'] ?? part['think']));
    if (event['type'] === 'tool.call') {
      this.#held?.answer.texts.push(text(event['name']), written(event['args']));
      this.#held?.answer.calls.push(text(event['toolCallId']));
    }
    if (event['type'] !== 'tool.result') return;
    const output = fields(event['result'])['output'];
    this.#held?.result({ role: Role.tool, ...readParts(output), answers: text(event['toolCallId']) }, place);
  }

  #usage(usage: Fields, place: Place): void {
    const counted = usageOf(usage);
    if (this.#summarising) this.#cost = { ...counted, separate: true };
    else this.#held?.count(counted, place);
  }

  *#compaction(record: Fields, place: Place): Iterable<TraceStep> {
    yield* this.#settle();
    const cost = this.#cost;
    const summary = text(record['contextSummary']) || text(record['summary']);
    const summaryTokens = rough(Buffer.byteLength(summary));
    const tokensBefore = cost?.promptTokens ?? (tokens(record['tokensBefore']) || undefined);
    yield { kind: 'compaction', ...place, coversEntries: this.#entries.count, summaryTokens, tokensBefore, trigger: this.#trigger, cost };
    this.#cost = undefined;
    this.#summarising = false;
  }

  *#settle(): Iterable<TraceStep> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) yield* held.settle(this.#entries);
  }
}

function usageOf(usage: Fields): Usage {
  const prompt = tokens(usage['inputOther']) + tokens(usage['inputCacheRead']) + tokens(usage['inputCacheCreation']);
  return { promptTokens: tokens(prompt), outputTokens: tokens(usage['output']) };
}

function readMessage(message: Fields): Draft {
  const role = ROLES[text(message['role'])] ?? Role.user;
  const kind = fields(message['origin'])['kind'];
  const byHost = kind !== undefined && kind !== 'user';
  const calls = list(message['toolCalls']).map((call) => text(fields(call)['id']));
  const answers = message['toolCallId'];
  return { role, flags: byHost ? Flag.synthetic : 0, ...readParts(message['content']), calls, ...(typeof answers === 'string' ? { answers } : {}) };
}

function readParts(content: unknown): Pick<Draft, 'texts' | 'images' | 'mediaBytes'> {
  if (!Array.isArray(content)) return { texts: [written(content)] };
  const parts = content.map(fields);
  const media = parts.filter((part) => MEDIA.test(text(part['type'])));
  return { texts: parts.map((part) => text(part['text'] ?? part['think'])), images: media.length, mediaBytes: mediaBytes(media) };
}

const KIMI_TYPES: ReadonlySet<string> = new Set(['config.update', 'turn.prompt', 'context.append_message', 'context.append_loop_event', 'llm.request', 'usage.record', 'context.apply_compaction']);
const ROLES: Readonly<Record<string, Role>> = Object.assign(Object.create(null), { system: Role.system, user: Role.user, assistant: Role.assistant, tool: Role.tool });
const MEDIA = /^(?:image|image_url|audio_url|video_url|file)$/;
