// pi session JSONL: a header, then one record per message, setting or compaction. Older files are a list; newer ones
// are a tree, where a record whose parent is not the one before it starts another branch.

import { type Fields, fields, instant, isFields, list, text, tokens, written } from '../../json.js';
import { Flag, Role, type TraceReader, type TraceStep } from '../../trace.js';
import { Entries, type Draft } from '../entries.js';
import { mediaBytes } from '../media.js';
import type { Usage } from '../shape.js';
import { rough } from '../../../text/rough.js';

/** Whether a record can only come from pi. */
export function isPi(record: Fields): boolean {
  if (record['type'] === 'session') return typeof record['id'] === 'string' && typeof record['timestamp'] === 'string' && typeof record['cwd'] === 'string';
  const message = record['message'];
  return record['type'] === 'message' && isFields(message) && PI_ROLES.has(text(message['role'])) && !('uuid' in record);
}

export class PiReader implements TraceReader {
  #entries = new Entries();
  #begun = false;
  /** Entries that stood before each record: compactions name the first record they kept by its index, or by its id. */
  #before: number[] = [];
  #places = new Map<string, Place>();
  #newest = '';

  *record(value: unknown, line: number): Iterable<TraceStep> {
    if (!isFields(value)) {
      yield { kind: 'unreadable', line, reason: 'not an object' };
      return;
    }
    const at = instant(value['timestamp']);
    if (!this.#begun) yield { kind: 'session', line, at: value['type'] === 'session' ? undefined : at };
    this.#begun = true;
    yield* this.#branch(value, line);
    const before = this.#entries.count;
    this.#before.push(before);
    if (value['type'] === 'compaction') yield* this.#compaction(value, line, at);
    else if (value['type'] === 'message') yield* this.#message(fields(value['message']), line, at);
    else yield* this.#other(value, line, at);
    this.#remember(value, before);
  }

  *end(): Iterable<TraceStep> {}

  *#branch(record: Fields, line: number): Iterable<TraceStep> {
    const parent = this.#places.get(text(record['parentId']));
    if (parent === undefined || record['parentId'] === this.#newest || parent.after === this.#entries.count) return;
    this.#entries.rewind(parent.after);
    yield { kind: 'rewind', line, at: instant(record['timestamp']), entries: parent.after };
  }

  #remember(record: Fields, before: number): void {
    const id = record['id'];
    if (typeof id !== 'string' || record['type'] === 'session') return;
    this.#places.set(id, { before, after: this.#entries.count });
    this.#newest = id;
  }

  *#compaction(record: Fields, line: number, at: number | undefined): Iterable<TraceStep> {
    const byId = this.#places.get(text(record['firstKeptEntryId']))?.before;
    const byIndex = this.#before[tokens(record['firstKeptEntryIndex'])];
    const named = typeof record['firstKeptEntryIndex'] === 'number' ? byIndex : byId;
    yield {
      kind: 'compaction',
      line,
      at,
      coversEntries: Math.min(named ?? this.#entries.count, this.#entries.count),
      summaryTokens: rough(Buffer.byteLength(text(record['summary']))),
      tokensBefore: tokens(record['tokensBefore']) || undefined,
    };
  }

  *#message(message: Fields, line: number, at: number | undefined): Iterable<TraceStep> {
    if (message['role'] === 'assistant') {
      yield { kind: 'call', line, at, model: text(message['model']) || undefined };
      if (isFields(message['usage'])) yield { kind: 'usage', line, at, ...usageOf(message['usage']) };
      const draft = readAnswer(message['content']);
      // An aborted call often left nothing; there is no message to send again.
      if (draft.texts.length > 0) yield { kind: 'entry', line, at, entry: this.#entries.add(draft) };
      return;
    }
    const draft = readOther(message);
    if (draft === undefined) {
      yield { kind: 'unreadable', line, reason: `a message of an unknown role` };
      return;
    }
    yield { kind: 'entry', line, at, entry: this.#entries.add(draft) };
  }

  *#other(record: Fields, line: number, at: number | undefined): Iterable<TraceStep> {
    const summary = record['type'] === 'branch_summary';
    if (!summary && record['type'] !== 'custom_message') return;
    const content = summary ? record['summary'] : record['content'];
    const draft = { ...readParts(Role.user, content), flags: summary ? Flag.hostSummary : Flag.synthetic };
    yield { kind: 'entry', line, at, entry: this.#entries.add(draft) };
  }
}

interface Place {
  before: number;
  after: number;
}

function usageOf(usage: Fields): Usage {
  const prompt = tokens(usage['input']) + tokens(usage['cacheRead']) + tokens(usage['cacheWrite']);
  return { promptTokens: tokens(prompt), outputTokens: tokens(usage['output']) };
}

function readAnswer(content: unknown): Draft {
  const texts: string[] = typeof content === 'string' ? [content] : [];
  const calls: string[] = [];
  for (const part of list(content).map(fields)) {
    if (part['type'] === 'text') texts.push(text(part['text']));
    if (part['type'] === 'thinking') texts.push(text(part['thinking']));
    if (part['type'] === 'toolCall') {
      texts.push(text(part['name']), written(part['arguments']));
      calls.push(text(part['id']));
    }
  }
  return { role: Role.assistant, texts, calls };
}

function readOther(message: Fields): Draft | undefined {
  switch (message['role']) {
    case 'user':
      return readParts(Role.user, message['content']);
    case 'toolResult':
      return { ...readParts(Role.tool, message['content']), answers: text(message['toolCallId']) };
    case 'bashExecution':
      return { role: Role.user, flags: Flag.synthetic, texts: [text(message['command']), text(message['output'])] };
    case 'custom':
    case 'hookMessage':
      return { ...readParts(Role.user, message['content']), flags: Flag.synthetic };
    case 'branchSummary':
    case 'compactionSummary':
      return { role: Role.user, flags: Flag.hostSummary, texts: [text(message['summary'])] };
    default:
      return undefined;
  }
}

function readParts(role: Role, content: unknown): Draft {
  if (typeof content === 'string') return { role, texts: [content] };
  const parts = list(content).map(fields);
  const media = parts.filter((part) => part['type'] === 'image');
  return {
    role,
    texts: parts.filter((part) => part['type'] === 'text').map((part) => text(part['text'])),
    images: media.length,
    mediaBytes: mediaBytes(media),
  };
}

const PI_ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'toolResult', 'bashExecution', 'custom', 'hookMessage', 'branchSummary', 'compactionSummary']);
