// Content blocks of LangChain messages: its own, and those of the providers that it passes through.

import { isFields, textAt, type Fields } from '../shape/json.js';
import type { Pieces } from '../shape/pieces.js';

/** Tells `block`; calls in it only where the message does not list them besides (`callsKnown`). */
export function describeBlock(block: unknown, to: Pieces, callsKnown: boolean): void {
  if (!isFields(block)) return typeof block === 'string' ? to.text(block) : undefined;
  const text = block.text ?? block.refusal;
  if (typeof text === 'string') return to.text(text);
  if (REASONING.has(block.type)) return to.reasoning(block.reasoning ?? block.thinking ?? block.data);
  if (CALLS.has(block.type)) return callsKnown ? undefined : to.call(textAt(block, 'id'), block.name, block.args ?? block.input);
  if (SERVER_CALLS.has(block.type)) return to.closedCall(block.name, block.args ?? block.input);
  const kind = isLangChainMedia(block);
  if (kind !== undefined) return to.media(kind, sourceOf(block));
  if (block.type === 'tool_result') return describeNested(block, to);
  to.value(block.output ?? block.value ?? block);
}

/** The kind of media that `part` is. */
export function isLangChainMedia(part: Fields): string | undefined {
  return MEDIA.has(part.type) && typeof part.text !== 'string' && hasPayload(part) ? String(part.type).replace(/_url$|^input_/, '') : undefined;
}

/** Reasoning that its provider signed or encrypted. */
export function isSealed(part: Fields): boolean {
  if (part.type === 'thinking' || part.type === 'redacted_thinking') return true;
  return part.type === 'reasoning' && ('signature' in part || 'encrypted_content' in part || isFields(part.extras));
}

function describeNested(block: Fields, to: Pieces): void {
  to.answer(textAt(block, 'tool_use_id'));
  to.value(block.content);
}

function hasPayload(part: Fields): boolean {
  return PAYLOADS.some((key) => part[key] !== undefined);
}

function sourceOf(block: Fields): unknown {
  for (const key of PAYLOADS) if (block[key] !== undefined) return block[key];
  return undefined;
}

const REASONING: ReadonlySet<unknown> = new Set(['reasoning', 'thinking', 'redacted_thinking']);
const CALLS: ReadonlySet<unknown> = new Set(['tool_call', 'tool_use', 'function_call', 'functionCall', 'tool_call_chunk', 'input_json_delta']);
const SERVER_CALLS: ReadonlySet<unknown> = new Set(['server_tool_call', 'server_tool_use', 'server_tool_call_chunk']);
const MEDIA: ReadonlySet<unknown> = new Set(['image_url', 'image', 'audio', 'input_audio', 'video', 'file', 'document', 'text-plain', 'media']);
/** Where a block holds its data, over all the forms that there have been. */
const PAYLOADS = ['data', 'url', 'image_url', 'input_audio', 'source', 'fileId', 'file', 'file_id', 'id'];
