// Which format a recording has, by its structure and never by its name, and the steps it holds.

import { fieldNames, isFields, list } from '../json.js';
import type { TraceReader, TraceStep } from '../trace.js';
import { type Format, isShared, type Kind, kindOf, kindOfLines, kindOfText } from './formats.js';
import { type Line, linesOf } from './source.js';

/** A recognised recording. */
export interface Recording {
  format: Format;
  /** What positions in the steps count. */
  unit: 'line' | 'message';
  /** The steps, in order, each with the number of bytes read so far. */
  steps: AsyncGenerator<readonly [step: TraceStep, offset: number]>;
  /** The value that the whole file is, and how it was written, where it is one. */
  document?: Document;
}

export interface Document {
  value: unknown;
  text: string;
  /** Whether a line end is the last of it. */
  ended: boolean;
}

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
    if (kind !== undefined) return await chosen(isShared(value) ? ((await ahead(value, looked, lines)) ?? kind) : kind, looked, lines);
    values.push(value);
    if (values.length >= LINES_LOOKED_AT) break;
  }
  if (values.length === 0) return { unknown: 'an empty file' };
  if (values[0] === undefined) return (await text(looked, lines)) ?? (await document(looked, lines));
  await lines.return(undefined);
  return { unknown: seen(values[0]) };
}

/** The kind of a line that several formats could have written, by those behind it. */
async function ahead(value: unknown, looked: Line[], rest: AsyncGenerator<Line>): Promise<Kind | undefined> {
  const values = [value];
  for await (const line of keepOpen(rest)) {
    looked.push(line);
    values.push(parse(line.text));
    if (values.length >= LINES_LOOKED_AT) break;
  }
  return kindOfLines(values);
}

/** A first line that cannot be a record of its own begins a document spread over lines. */
function opensDocument(content: string): boolean {
  return content === '[' || content === '{';
}

/** Text that is no JSON names its format at the beginning of a chat, which need not be the beginning of the file. */
async function text(looked: Line[], rest: AsyncGenerator<Line>): Promise<Recording | undefined> {
  if (/^\s*[[{"]/.test(looked[0]?.text ?? '')) return undefined;
  let kind = looked.map((line) => kindOfText(line.text ?? '')).find((one) => one !== undefined);
  while (kind === undefined && looked.length < TEXT_LOOKED_AT) {
    const next = await rest.next();
    if (next.done === true) break;
    looked.push(next.value);
    kind = kindOfText(next.value.text ?? '');
  }
  return kind && { format: kind.format, unit: 'line', steps: byLine(kind, looked, rest) };
}

/** A file of a single line is a document as well: what is inside it is counted by message. */
async function chosen(kind: Kind, looked: readonly Line[], rest: AsyncGenerator<Line>): Promise<Recording | Unknown> {
  if (kind.kept === 'lines') return { format: kind.format, unit: 'line', steps: byLine(kind, looked, rest) };
  const ahead = [...looked];
  for await (const line of keepOpen(rest)) {
    ahead.push(line);
    if (line.text?.trim() !== '') return { format: kind.format, unit: 'line', steps: byLine(kind, ahead, rest) };
  }
  const filled = ahead.filter((line) => line.text?.trim() !== '');
  if (filled.length === 1) return await document(ahead, rest);
  return { format: kind.format, unit: 'line', steps: byLine(kind, ahead, rest) };
}

async function* byLine(kind: Kind, looked: readonly Line[], rest: AsyncGenerator<Line>): Recording['steps'] {
  const reader = kind.reader();
  let offset = 0;
  for await (const line of chained(looked, rest)) {
    offset = line.offset;
    if (line.text?.trim() === '' && kind.kept !== 'text') continue;
    const value = kind.kept === 'text' ? line.text : parse(line.text);
    if (value === undefined) yield [{ kind: 'unreadable', line: line.number, reason: line.text === undefined ? 'too long' : 'not JSON' }, offset];
    else for (const step of reader.record(value, line.number)) yield [step, offset];
  }
  for (const step of reader.end()) yield [step, offset];
}

async function document(looked: readonly Line[], rest: AsyncGenerator<Line>): Promise<Recording | Unknown> {
  const parts: string[] = [];
  let offset = 0;
  let ended = false;
  for await (const line of chained(looked, rest)) {
    if (line.text === undefined) return { unknown: 'one JSON document that is too large to be read at once' };
    parts.push(line.text);
    offset = line.offset;
    ended = line.ended;
  }
  const text = joined(parts);
  const value = parse(text);
  if (value === undefined || text === undefined) return { unknown: 'neither JSON nor lines of JSON' };
  const kind = kindOf(value);
  if (kind === undefined) return { unknown: seen(value) };
  return { format: kind.format, unit: 'message', steps: ofDocument(kind.reader(), value, offset), document: { value, text, ended } };
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

const LINES_LOOKED_AT = 50;
/** A chat's beginning stands behind at most the output of one command. */
const TEXT_LOOKED_AT = 2_000;
