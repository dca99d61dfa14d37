// Tool parts of UI messages: which call, and whether it still waits.

import { fieldsAt, isFields, textAt, type Fields } from '../shape/json.js';

export interface UiCall {
  readonly id: string | undefined;
  readonly name: unknown;
  readonly input: unknown;
  /** Its result is still to come: it is being written, waits for an approval or for a tool. */
  readonly open: boolean;
  /** What the model is shown as the result. */
  readonly output: unknown;
}

/** The call that `part` is, if it is one; `results` are the ids whose result is a part of its own. */
export function callOf(part: Fields, results: ReadonlySet<string>): UiCall | undefined {
  if (isTanStackCall(part)) return tanStackCall(part, results);
  const name = toolOf(part);
  if (name === undefined) return undefined;
  const open = isOpen(part);
  const input = part.input ?? part.rawInput;
  return { id: textAt(part, 'toolCallId'), name, input, open, output: open ? undefined : outputOf(part) };
}

/** The ids of TanStack's calls, and of its results, which are parts of their own. */
export function tanStackIds(parts: readonly unknown[]): { readonly calls: ReadonlySet<string>; readonly results: ReadonlySet<string> } {
  const calls = new Set<string>();
  const results = new Set<string>();
  for (const part of parts) {
    if (!isFields(part)) continue;
    if (isTanStackCall(part)) calls.add(textAt(part, 'id') ?? '');
    else if (isTanStackResult(part)) results.add(textAt(part, 'toolCallId') ?? '');
  }
  return { calls, results };
}

/** TanStack's result part; the AI SDK's part of a tool that is named "result" has no `content`. */
export function isTanStackResult(part: Fields): boolean {
  return part.type === 'tool-result' && 'content' in part;
}

export function isTanStackCall(part: Fields): boolean {
  return part.type === 'tool-call' && 'arguments' in part;
}

/** The tool's name in the AI SDK's parts. */
function toolOf(part: Fields): string | undefined {
  if (part.type === 'dynamic-tool') return textAt(part, 'toolName') ?? 'tool';
  if (typeof part.type !== 'string' || !part.type.startsWith(PREFIX) || isTanStackResult(part)) return undefined;
  return part.type.slice(PREFIX.length);
}

/** A denied approval is answered by the SDK itself; a preliminary output is followed by another. */
function isOpen(part: Fields): boolean {
  if (part.state === 'output-available') return part.preliminary === true;
  if (part.state === 'approval-responded') return fieldsAt(part, 'approval')?.approved !== false;
  if (part.state === 'output-error' || part.state === 'output-denied') return false;
  return part.output === undefined && part.errorText === undefined;
}

function outputOf(part: Fields): unknown {
  return part.output ?? part.errorText ?? fieldsAt(part, 'approval')?.reason;
}

function tanStackCall(part: Fields, results: ReadonlySet<string>): UiCall {
  const id = textAt(part, 'id');
  const apart = id !== undefined && results.has(id);
  // The output is kept beside the result as well, and sent once.
  return { id, name: part.name, input: part.arguments, open: !apart && part.output === undefined, output: apart ? undefined : part.output };
}

const PREFIX = 'tool-';
