// Claude Code session JSONL: one line per content block of an Anthropic message, and much that no model reads.
//
// One assistant message is spread over several lines with the same `message.id`, tool results in between; each of them
// repeats the usage, and only the last has the true output. So a message is held back until something else begins.

import { type Fields, fields, instant, isFields, list, text, tokens, written } from '../json.js';
import { Flag, Role, type TraceReader, type TraceStep } from '../trace.js';
import { Entries, type Draft } from './entries.js';
import { rough } from '../../text/rough.js';

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
  #held: Held | undefined;
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
        yield { kind: 'entry', line, at: this.#clock, entry: this.#entries.add(readAnswer(message['content'], blank())) };
        return;
      }
      this.#seen.add(id);
      this.#held = { id, line, at: this.#clock, model: model || undefined, answer: blank(), usage: undefined, results: [] };
    }
    const held = this.#held;
    readAnswer(message['content'], held.answer);
    const usage = message['usage'];
    if (isFields(usage)) held.usage = { ...usageOf(usage), line, at: this.#clock };
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
      this.#held.results.push(...drafts.map((draft) => ({ draft, line, at: this.#clock })));
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
    const { line, at } = held;
    if (this.#boundary !== undefined) yield* this.#compact([]);
    yield { kind: 'call', line, at, model: held.model };
    if (held.usage !== undefined) yield { kind: 'usage', ...held.usage };
    yield { kind: 'entry', line, at, entry: this.#entries.add(held.answer) };
    for (const result of held.results) {
      yield { kind: 'entry', line: result.line, at: result.at, entry: this.#entries.add(result.draft) };
    }
  }

  *#compact(summary: readonly string[]): Iterable<TraceStep> {
    const boundary = this.#boundary;
    this.#boundary = undefined;
    if (boundary === undefined) return;
    const bytes = summary.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    yield { kind: 'compaction', ...boundary, coversEntries: this.#entries.count, summaryTokens: rough(bytes) };
  }
}

interface Held {
  id: string;
  line: number;
  at: number | undefined;
  model: string | undefined;
  answer: Answer;
  usage: (Usage & { line: number; at: number | undefined }) | undefined;
  results: { draft: Draft; line: number; at: number | undefined }[];
}

interface Answer extends Draft {
  texts: string[];
  calls: string[];
}

interface Usage {
  promptTokens: number;
  outputTokens: number;
}

interface Boundary {
  line: number;
  at: number | undefined;
  tokensBefore: number | undefined;
  trigger: string | undefined;
}

function usageOf(usage: Fields): Usage {
  const prompt = tokens(usage['input_tokens']) + tokens(usage['cache_creation_input_tokens']) + tokens(usage['cache_read_input_tokens']);
  return { promptTokens: tokens(prompt), outputTokens: tokens(usage['output_tokens']) };
}

function blank(): Answer {
  return { role: Role.assistant, texts: [], calls: [] };
}

function readAnswer(content: unknown, answer: Answer): Answer {
  if (typeof content === 'string') answer.texts.push(content);
  for (const part of list(content).map(fields)) {
    if (part['type'] === 'text') answer.texts.push(text(part['text']));
    if (part['type'] === 'thinking') answer.texts.push(text(part['thinking']));
    if (part['type'] === 'tool_use') {
      answer.texts.push(text(part['name']), written(part['input']));
      answer.calls.push(text(part['id']));
    }
  }
  return answer;
}

/** One draft for each tool result, and one for whatever else the message says. */
function readUser(content: unknown, flags: number): Draft[] {
  if (typeof content === 'string') return [{ role: Role.user, flags, texts: [content] }];
  const results: Draft[] = [];
  const texts: string[] = [];
  let images = 0;
  for (const part of list(content).map(fields)) {
    if (part['type'] === 'tool_result') results.push(readResult(part));
    if (part['type'] === 'text') texts.push(text(part['text']));
    if (part['type'] === 'image' || part['type'] === 'document') images += 1;
  }
  if (texts.length === 0 && images === 0) return results;
  // Words beside a tool's results come from the client, not from a person.
  const beside = results.length > 0 ? Flag.synthetic : 0;
  return [...results, { role: Role.user, flags: flags | beside, texts, images }];
}

function readResult(part: Fields): Draft {
  const inside = part['content'];
  const answers = text(part['tool_use_id']);
  if (typeof inside === 'string') return { role: Role.tool, texts: [inside], answers };
  const parts = list(inside).map(fields);
  return {
    role: Role.tool,
    texts: parts.filter((one) => one['type'] === 'text').map((one) => text(one['text'])),
    images: parts.filter((one) => one['type'] === 'image').length,
    answers,
  };
}

const CLAUDE_TYPES: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'progress', 'queue-operation', 'attachment', 'last-prompt', 'custom-title']);
