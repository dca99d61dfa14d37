// What of an OpenAI Responses item may be made smaller, and how it looks then.

import { isFields, textAt, type Fields } from '../shape/json.js';
import type { Rules } from '../shape/rewrite.js';

export const responsesRules: Rules = {
  texts: new Set(['content', 'text', 'refusal', 'output', 'stdout', 'stderr', 'logs']),
  data: new Set(['arguments', 'input', 'action', 'operation']),
  media: mediaKind,
  placeholder,
  sealed: (part) => part.type === 'reasoning' || part.type === 'item_reference' || textAt(part, 'type')?.startsWith('compaction') === true,
  result: (part) => ('output' in part && part.output !== null ? 'output' : undefined),
  resultOf,
};

/** The kind of media that a part of a content, or a whole item, is. */
export function mediaKind(part: Fields): string | undefined {
  const kind = MEDIA.get(part.type);
  return kind === 'image' && part.type === 'image_generation_call' && typeof part.result !== 'string' ? undefined : kind;
}

function placeholder(text: string, part: Fields, holder: Fields | undefined): Fields {
  if (part.type === 'image_generation_call') return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
  if (part.type === 'computer_screenshot') return BLANK;
  return { type: textAt(holder, 'role') === 'assistant' ? 'output_text' : 'input_text', text };
}

/** An output keeps the shape that its kind of call asks for. */
function resultOf(text: string, { type, output }: Fields): unknown {
  if (type === 'computer_call_output') return BLANK;
  if (type === 'shell_call_output') return [{ stdout: text, stderr: '', outcome: outcomeOf(output) }];
  return isFields(output) && !Array.isArray(output) ? { type: 'text', text } : text;
}

/** The item that ends a call of `type` which nobody will answer any more. */
export function closedItem(type: string, id: string, text: string): ClosedItem {
  const output = `${type}_output`;
  switch (type) {
    case 'mcp_approval_request':
      return { type: 'mcp_approval_response', approval_request_id: id, approve: false };
    case 'local_shell_call':
      return { type: output, id, output: text };
    case 'shell_call':
      return { type: output, call_id: id, output: [{ stdout: '', stderr: text, outcome: { type: 'exit', exit_code: 1 } }] };
    case 'apply_patch_call':
      return { type: output, call_id: id, status: 'failed', output: text };
    case 'computer_call':
      return { type: output, call_id: id, output: BLANK };
    case 'tool_search_call':
      return { type: 'tool_search_output', call_id: id, tools: [] };
    default:
      return { type: output, call_id: id, output: text };
  }
}

interface ClosedItem extends Fields {
  readonly type: string;
}

function outcomeOf(output: unknown): unknown {
  const first: unknown = Array.isArray(output) ? output[0] : undefined;
  return (isFields(first) ? first.outcome : undefined) ?? { type: 'exit', exit_code: 0 };
}

const MEDIA: ReadonlyMap<unknown, string> = new Map([
  ['input_image', 'image'],
  ['image', 'image'],
  ['computer_screenshot', 'image'],
  ['image_generation_call', 'image'],
  ['input_file', 'file'],
  ['file', 'file'],
  ['input_audio', 'audio'],
  ['audio', 'audio'],
]);
/** A computer's output is a picture, whatever it shows: one transparent pixel. */
const BLANK: Fields = {
  type: 'computer_screenshot',
  image_url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
};
