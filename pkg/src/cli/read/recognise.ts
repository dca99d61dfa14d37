// Which format a recording has, by its structure and never by its name, and the steps it holds.

import { fieldNames, isFields, list } from '../json.js';
import type { TraceReader, TraceStep } from '../trace.js';
import { ClaudeCodeReader, isClaudeCode } from './claude-code.js';
import { OpenAiChatReader, isOpenAiChat } from './openai-chat.js';
import { PiReader, isPi } from './pi.js';
import { type Line, linesOf } from './source.js';

/** A recognised recording. */
export interface Recording {
  format: Format;
  /** What positions in the steps count. */
  unit: 'line' | 'message';
  /** The steps, in order, each with the number of bytes read so far. */
  steps: AsyncGenerator<readonly [step: TraceStep, offset: number]>;
}

export type Format = 'openai_chat' | 'claude_code' | 'pi';

/** The formats by the names that people know them by. */
export const FORMAT_TITLES: Readonly<Record<Format, string>> = {
  openai_chat: 'OpenAI chat messages',
  claude_code: 'Claude Code JSONL',
  pi: 'pi session JSONL',
};

/** What was seen instead of a recording that can be read. */
export interface Unknown {
  unknown: string;
}

/** Recognises the recording at `path`. Rejects only for what the file system reports. */
export async function recognise(path: string): Promise<Recording | Unknown> {
  const lines = linesOf(path);
  const looked: Line[] = [];
  const values: unknown[] = [];
  for await (const line of keepOpen(lines)) {
    looked.push(line);
    const content = line.text?.trim();
    if (content === '') continue;
    if (values.length === 0 && content !== undefined && opensDocument(content)) return await document(looked, lines);
    const value = parse(content);
    const kind = value === undefined ? undefined : kindOf(value);
    if (kind !== undefined) return await chosen(kind, looked, lines);
    values.push(value);
    if (values.length >= LINES_LOOKED_AT) break;
  }
  if (values.length === 0) return { unknown: 'an empty file' };
  if (values[0] === undefined) return await document(looked, lines);
  await lines.return(undefined);
  return { unknown: seen(values[0]) };
}

interface Kind {
  format: Format;
  recognises(value: unknown): boolean;
  reader(): TraceReader;
}

function kindOf(value: unknown): Kind | undefined {
  return KINDS.find((kind) => kind.recognises(value));
}

/** A first line that cannot be a record of its own begins a document spread over lines. */
function opensDocument(content: string): boolean {
  return content === '[' || content === '{';
}

/** A file of a single line is a document as well: what is inside it is counted by message. */
async function chosen(kind: Kind, looked: readonly Line[], rest: AsyncGenerator<Line>): Promise<Recording | Unknown> {
  if (kind.format !== 'openai_chat') return { format: kind.format, unit: 'line', steps: byLine(kind.reader(), looked, rest) };
  const ahead = [...looked];
  for await (const line of keepOpen(rest)) {
    ahead.push(line);
    if (line.text?.trim() !== '') return { format: kind.format, unit: 'line', steps: byLine(kind.reader(), ahead, rest) };
  }
  const filled = ahead.filter((line) => line.text?.trim() !== '');
  if (filled.length === 1) return await document(ahead, rest);
  return { format: kind.format, unit: 'line', steps: byLine(kind.reader(), ahead, rest) };
}

async function* byLine(reader: TraceReader, looked: readonly Line[], rest: AsyncGenerator<Line>): Recording['steps'] {
  let offset = 0;
  for await (const line of chained(looked, rest)) {
    offset = line.offset;
    if (line.text?.trim() === '') continue;
    const value = parse(line.text);
    if (value === undefined) yield [{ kind: 'unreadable', line: line.number, reason: line.text === undefined ? 'too long' : 'not JSON' }, offset];
    else for (const step of reader.record(value, line.number)) yield [step, offset];
  }
  for (const step of reader.end()) yield [step, offset];
}

async function document(looked: readonly Line[], rest: AsyncGenerator<Line>): Promise<Recording | Unknown> {
  const parts: string[] = [];
  let offset = 0;
  for await (const line of chained(looked, rest)) {
    if (line.text === undefined) return { unknown: 'one JSON document that is too large to be read at once' };
    parts.push(line.text);
    offset = line.offset;
  }
  const value = parse(joined(parts));
  if (value === undefined) return { unknown: 'neither JSON nor lines of JSON' };
  const kind = kindOf(value);
  if (kind === undefined) return { unknown: seen(value) };
  return { format: kind.format, unit: 'message', steps: ofDocument(kind.reader(), value, offset) };
}

async function* ofDocument(reader: TraceReader, value: unknown, offset: number): Recording['steps'] {
  for (const step of reader.document?.(value) ?? reader.record(value, 1)) yield [step, offset];
  for (const step of reader.end()) yield [step, offset];
}

async function* chained(looked: readonly Line[], rest: AsyncGenerator<Line>): AsyncGenerator<Line> {
  yield* looked;
  yield* rest;
}

/** Leaving a loop over this does not end `lines`. */
async function* keepOpen(lines: AsyncGenerator<Line>): AsyncGenerator<Line> {
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) yield next.value;
}

function joined(parts: readonly string[]): string | undefined {
  try {
    return parts.join('\n');
  } catch {
    return undefined;
  }
}

function parse(content: string | undefined): unknown {
  if (content === undefined) return undefined;
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return undefined;
  }
}

/** What a value is, by the names of its fields: never by what they hold. */
function seen(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty JSON array' : `a JSON array of ${members(value)}`;
  if (!isFields(value)) return `a JSON ${value === null ? 'null' : typeof value}`;
  const [name, ...others] = Object.keys(value);
  const held = name === undefined ? [] : list(value[name]);
  if (held.length > 0 && others.length === 0) return `an object with the field ${fieldNames(value)}, an array of ${members(held)}`;
  return `objects with the fields ${fieldNames(value) || '(none)'}`;
}

function members([first]: readonly unknown[]): string {
  if (isFields(first)) return `objects with the fields ${fieldNames(first) || '(none)'}`;
  return Array.isArray(first) ? 'arrays' : `${first === null ? 'null' : typeof first}s`;
}

const KINDS: readonly Kind[] = [
  { format: 'claude_code', recognises: (value) => isFields(value) && isClaudeCode(value), reader: () => new ClaudeCodeReader() },
  { format: 'pi', recognises: (value) => isFields(value) && isPi(value), reader: () => new PiReader() },
  { format: 'openai_chat', recognises: isOpenAiChat, reader: () => new OpenAiChatReader() },
];
const LINES_LOOKED_AT = 50;
