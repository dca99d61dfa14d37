// Editing the results of tools where they stand in UI messages.

import { isFields, type Fields } from '../shape/json.js';
import { callOf, isTanStackCall, isTanStackResult } from './ui-calls.js';

/** The same message with each tool's result as `edit` makes it; the same object where nothing changes. */
export function withOutputs<M>(message: M, edit: (output: unknown) => unknown): M {
  return withParts(message, (part) => {
    const key = resultKey(part);
    return key === undefined ? part : withField(part, key, edit(part[key]));
  });
}

/** The same message with each tool's result replaced by `text`. */
export function withoutResults<M>(message: M, text: string): M {
  return withParts(message, (part) => {
    const key = resultKey(part);
    if (key === undefined) return part;
    return key !== 'output' || isTanStackCall(part) ? withField(part, key, text) : withoutOutput(part, text);
  });
}

/**
 * A tool may have a `toModelOutput`, which reads the output and fails on another shape: the host's own text stays text,
 * an MCP result stays one, and what is left becomes an error's text, which is shown as it is.
 */
function withoutOutput(part: Fields, text: string): Fields {
  const { output, ...rest } = part;
  if (typeof output === 'string') return { ...rest, output: text };
  if (isFields(output) && Array.isArray(output.content)) return { ...rest, output: { content: [{ type: 'text', text }] } };
  return { ...rest, state: 'output-error', errorText: text };
}

/** Where `part` holds the result of a tool, if it holds one. */
function resultKey(part: Fields): string | undefined {
  if (isTanStackResult(part)) return 'content';
  const call = callOf(part, NONE);
  if (!call || call.open) return undefined;
  return part.output === undefined ? (typeof part.errorText === 'string' ? 'errorText' : undefined) : 'output';
}

function withField(part: Fields, key: string, value: unknown): Fields {
  return part[key] === value ? part : { ...part, [key]: value };
}

/** What an edit makes of a message is a message of the same type. */
function withParts<M>(message: M, edit: (part: Fields) => Fields): M;
function withParts(message: unknown, edit: (part: Fields) => Fields): unknown {
  if (!isFields(message) || !Array.isArray(message.parts)) return message;
  const before: readonly unknown[] = message.parts;
  const parts = before.map((part) => (isFields(part) ? edit(part) : part));
  return parts.every((part, i) => part === before[i]) ? message : { ...message, parts };
}

const NONE: ReadonlySet<string> = new Set();
