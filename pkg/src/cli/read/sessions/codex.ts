// Codex rollout JSONL: what the model read and wrote as `response_item`, and events for the screen that repeat it.
//
// A call's usage comes in a `token_count` behind its last item. That event states totals of the session as well, which are
// not the prompt, and comes again unchanged when only the rate limits moved.

import { type Fields, fields, instant, isFields, list, text, tokens } from '../../json.js';
import { Flag, type TraceReader, type TraceStep } from '../../trace.js';
import { blankAnswer, type Draft, Entries } from '../entries.js';
import { isAnswer, readInput, readOutput } from '../shapes/openai-responses.js';
import { HeldCall, type Place } from './held-call.js';
import { rough } from '../../../text/rough.js';

/** Whether a record can only come from Codex. */
export function isCodex(record: Fields): boolean {
  return CODEX_TYPES.has(text(record['type'])) && isFields(record['payload']) && typeof record['timestamp'] === 'string';
}

export class CodexReader implements TraceReader {
  #entries = new Entries();
  #begun = false;
  #held: HeldCall | undefined;
  #clock: number | undefined;
  #model: string | undefined;
  #window: number | undefined;
  #totals = '';

  *record(value: unknown, line: number): Iterable<TraceStep> {
    if (!isFields(value)) {
      yield { kind: 'unreadable', line, reason: 'not an object' };
      return;
    }
    this.#clock = instant(value['timestamp']) ?? this.#clock;
    const place = { line, at: this.#clock };
    const payload = fields(value['payload']);
    this.#window = tokens(payload['model_context_window']) || this.#window;
    if (value['type'] === 'turn_context') this.#model = text(payload['model']) || this.#model;
    if (value['type'] === 'response_item') yield* this.#item(payload, place);
    if (value['type'] === 'compacted') yield* this.#compacted(payload, place);
    if (value['type'] === 'event_msg' && payload['type'] === 'token_count') yield* this.#usage(fields(payload['info']), place);
  }

  *end(): Iterable<TraceStep> {
    yield* this.#settle();
  }

  *#begin(place: Place): Iterable<TraceStep> {
    if (!this.#begun) yield { kind: 'session', ...place, window: this.#window };
    this.#begun = true;
  }

  *#item(item: Fields, place: Place): Iterable<TraceStep> {
    if (NOT_SENT.has(text(item['type']))) return;
    yield* this.#begin(place);
    if (isAnswer(item)) {
      if (this.#held?.over === true) yield* this.#settle();
      this.#held ??= new HeldCall(blankAnswer(), place, { model: this.#model, window: this.#window });
      readOutput(item, this.#held.answer);
      return;
    }
    const draft = readInput(item);
    if (draft.answers !== undefined && this.#held !== undefined) return this.#held.result(draft, place);
    yield* this.#settle();
    yield { kind: 'entry', ...place, entry: this.#entries.add(byClient(draft)) };
  }

  *#usage(info: Fields, place: Place): Iterable<TraceStep> {
    const last = info['last_token_usage'];
    if (!isFields(last)) return;
    this.#window = tokens(info['model_context_window']) || this.#window;
    if (this.#held !== undefined) this.#held.window = this.#window;
    const totals = JSON.stringify(fields(info['total_token_usage'])['total_tokens'] ?? null);
    const usage = { promptTokens: tokens(last['input_tokens']), outputTokens: tokens(last['output_tokens']) };
    const again = totals === this.#totals && usage.promptTokens > 0;
    this.#totals = totals;
    if (again) return;
    if (this.#held !== undefined && !this.#held.counted) return this.#held.count(usage, place);
    yield* this.#begin(place);
    yield* this.#settle();
    yield { kind: 'usage', ...place, ...usage };
  }

  /** What took the place of everything before: user messages as they were, and a summary. */
  *#compacted(payload: Fields, place: Place): Iterable<TraceStep> {
    yield* this.#begin(place);
    yield* this.#settle();
    const drafts = list(payload['replacement_history']).map((item) => readInput(fields(item)));
    const texts = drafts.length > 0 ? drafts.flatMap((draft) => draft.texts) : [text(payload['message'])];
    const bytes = texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
    yield { kind: 'compaction', ...place, coversEntries: this.#entries.count, summaryTokens: rough(bytes) };
  }

  *#settle(): Iterable<TraceStep> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) yield* held.settle(this.#entries);
  }
}

/** Instructions and surroundings come in the user's name, in a frame of their own. */
function byClient(draft: Draft): Draft {
  const framed = FRAME.test(draft.texts[0]?.slice(0, FRAME_LENGTH) ?? '');
  return framed ? { ...draft, flags: (draft.flags ?? 0) | Flag.synthetic } : draft;
}

const CODEX_TYPES: ReadonlySet<string> = new Set(['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted', 'world_state']);
const NOT_SENT: ReadonlySet<string> = new Set(['ghost_snapshot', 'other', '']);
const FRAME = /^\s*(?:<[a-z_]+>|# AGENTS\.md instructions)/;
const FRAME_LENGTH = 100;
