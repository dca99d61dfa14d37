// Claude Code session JSONL: one line per content block of an Anthropic message, and much that no model reads.
//
// One assistant message is spread over several lines with the same `message.id`, tool results in between; each of them
// repeats the usage, and only the last has the true output. So a message is held back until something else begins.

import { type Fields, fields, instant, isFields, text, tokens } from '../../json.js';
import { Flag, type TraceReader, type TraceStep } from '../../trace.js';
import { blankAnswer, Entries } from '../entries.js';
import { countedBy, readBlocks, readUser } from '../shapes/anthropic.js';
import { HeldCall } from './held-call.js';
import { rough } from '../../../text/rough.js';

/** Whether a record can only come from Claude Code. */
export function isClaudeCode(record: Fields): boolean {
  if (typeof record['type'] !== 'string') return false;
  const tree = 'parentUuid' in record && typeof record['uuid'] === 'string';
  const inSession = typeof record['sessionId'] === 'string' && CLAUDE_TYPES.has(record['type']);
  const snapshot = record['type'] === 'file-history-snapshot' && isFields(record['snapshot']);
  return tree || inSession || snapshot || (record['type'] === 'summary' && typeof record['leafUuid'] === 'string');
}

export class ClaudeCodeReader implements TraceReader {
  #entries = new Entries();
  #begun = false;
  #seen = new Set<string>();
  #held: { id: string; call: HeldCall } | undefined;
  #boundary: Boundary | undefined;
  /** Whether this file is a subagent's own (every line a sidechain) or the main conversation's. */
  #sidechain: boolean | undefined;
  #leftOut = 0;
  #clock: number | undefined;

  *record(value: unknown, line: number): Iterable<TraceStep> {
    if (!isFields(value)) {
      yield { kind: 'unreadable', line, reason: 'not an object' };
      return;
    }
    const type = value['type'];
    this.#clock = instant(value['timestamp']) ?? this.#clock;
    if (type !== 'user' && type !== 'assistant' && type !== 'system') return;
    this.#sidechain ??= value['isSidechain'] === true;
    if ((value['isSidechain'] === true) !== this.#sidechain) {
      this.#leftOut += 1;
      return;
    }
    yield* this.#begin(line);
    if (type === 'system') yield* this.#system(value, line);
    else if (type === 'assistant') yield* this.#assistant(value, line);
    else yield* this.#user(value, line);
  }

  *end(): Iterable<TraceStep> {
    yield* this.#settle();
    if (this.#leftOut > 0) {
      const lines = this.#leftOut === 1 ? 'line' : 'lines';
      yield { kind: 'note', line: 0, text: `left out ${this.#leftOut} ${lines} of subagents (sidechains): they have windows of their own` };
    }
  }

  *#begin(line: number): Iterable<TraceStep> {
    if (!this.#begun) yield { kind: 'session', line, at: this.#clock };
    this.#begun = true;
  }

  *#system(record: Fields, line: number): Iterable<TraceStep> {
    if (record['subtype'] !== 'compact_boundary') return;
    yield* this.#settle();
    const about = fields(record['compactMetadata']);
    const tokensBefore = tokens(about['preTokens']) || undefined;
    this.#boundary = { line, at: this.#clock, tokensBefore, trigger: text(about['trigger']) || undefined };
  }

  *#assistant(record: Fields, line: number): Iterable<TraceStep> {
    const message = fields(record['message']);
    const model = text(message['model']);
    // What the client wrote in the model's name (an API error, an interruption) was never a model call.
    if (model === '<synthetic>' || record['isApiErrorMessage'] === true) return;
    const id = text(message['id']) || `line ${line}`;
    if (this.#held?.id !== id) {
      yield* this.#settle();
      if (this.#seen.has(id)) {
        // A straggler of a call that was counted already: its words count, its usage does not.
        const answer = blankAnswer();
        readBlocks(message['content'], answer);
        yield { kind: 'entry', line, at: this.#clock, entry: this.#entries.add(answer) };
        return;
      }
      this.#seen.add(id);
      this.#held = { id, call: new HeldCall(blankAnswer(), { line, at: this.#clock }, { model: model || undefined }) };
    }
    const { call } = this.#held;
    readBlocks(message['content'], call.answer);
    const usage = message['usage'];
    if (isFields(usage)) call.count(countedBy(usage), { line, at: this.#clock });
  }

  *#user(record: Fields, line: number): Iterable<TraceStep> {
    const content = fields(record['message'])['content'];
    if (record['isCompactSummary'] === true) {
      yield* this.#settleAnswer();
      this.#boundary ??= { line, at: this.#clock, tokensBefore: undefined, trigger: undefined };
      yield* this.#compact(readUser(content, 0).flatMap((draft) => draft.texts));
      return;
    }
    const drafts = readUser(content, record['isMeta'] === true ? Flag.synthetic : 0);
    const answers = drafts.some((draft) => draft.answers !== undefined);
    if (answers && this.#held !== undefined) {
      for (const draft of drafts) this.#held.call.result(draft, { line, at: this.#clock });
      return;
    }
    yield* this.#settle();
    for (const draft of drafts) yield { kind: 'entry', line, at: this.#clock, entry: this.#entries.add(draft) };
  }

  /** Everything held back, in the order in which it happened. */
  *#settle(): Iterable<TraceStep> {
    yield* this.#settleAnswer();
    if (this.#boundary !== undefined) yield* this.#compact([]);
  }

  *#settleAnswer(): Iterable<TraceStep> {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    if (this.#boundary !== undefined) yield* this.#compact([]);
    yield* held.call.settle(this.#entries);
  }

  *#compact(summary: readonly string[]): Iterable<TraceStep> {
    const boundary = this.#boundary;
    this.#boundary = undefined;
    if (boundary === undefined) return;
    const bytes = summary.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    yield { kind: 'compaction', ...boundary, coversEntries: this.#entries.count, summaryTokens: rough(bytes) };
  }
}

interface Boundary {
  line: number;
  at: number | undefined;
  tokensBefore: number | undefined;
  trigger: string | undefined;
}

const CLAUDE_TYPES: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'progress', 'queue-operation', 'attachment', 'last-prompt', 'custom-title']);
