// Results and approvals in model messages.

import { isFields, textAt, type Fields } from '../shape/json.js';

/** What a result shows: one value, or parts. */
export function outcomeOf(output: unknown): { readonly value: unknown; readonly parts: readonly unknown[] } {
  if (!isFields(output) || typeof output.type !== 'string') return { value: output, parts: [] };
  if (output.type === 'content' && Array.isArray(output.value)) return { value: undefined, parts: output.value };
  return { value: output.value ?? output.reason, parts: [] };
}

/** A request for an approval waits for its answer as a call waits for its result, under an id of its own. */
export function approvalId(part: Fields): string {
  return APPROVAL + (textAt(part, 'approvalId') ?? '');
}

/** The id of the approval that `id` names, if it names one. */
export function approvalOf(id: string): string | undefined {
  return id.startsWith(APPROVAL) ? id.slice(APPROVAL.length) : undefined;
}

/** The same message with its results' texts as `text` makes them, and their JSON as `json` does; the same object where nothing changes. */
export function withToolOutputs<M>(message: M, text: (text: string) => string, json: (value: unknown) => unknown): M;
export function withToolOutputs(message: unknown, text: (text: string) => string, json: (value: unknown) => unknown): unknown {
  if (!isFields(message) || !Array.isArray(message.content)) return message;
  const before: readonly unknown[] = message.content;
  const content = before.map((part) => (isFields(part) && part.type === 'tool-result' ? withOutput(part, text, json) : part));
  return content.every((part, i) => part === before[i]) ? message : { ...message, content };
}

/** The files among an output's parts are for the rewriting of media to find. */
function withOutput(part: Fields, text: (text: string) => string, json: (value: unknown) => unknown): Fields {
  const output = part.output;
  if (!isFields(output) || output.type === 'content') return part;
  const value = typeof output.value === 'string' ? text(output.value) : json(output.value);
  return value === output.value ? part : { ...part, output: { ...output, value } };
}

const APPROVAL = 'approval ';
