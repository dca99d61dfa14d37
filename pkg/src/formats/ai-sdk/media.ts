// Files as the AI SDK carries them, and what its reasoning parts are sealed with.

import { fieldsAt, isFields, jsonOf, textAt, type Fields } from '../shape/json.js';
import type { Pieces } from '../shape/pieces.js';

/** Tells a file part. */
export function describeFile(part: Fields, to: Pieces): void {
  const data = part.data ?? part.image ?? part.url ?? part.source ?? part.fileId ?? part.providerReference;
  if (isFields(data) && data.type === 'text' && typeof data.text === 'string') to.value(data.text);
  else to.media(kindOfFile(part), comparable(data));
}

/** `image`, `audio`, `video` or `file`. */
export function kindOfFile(part: Fields): string {
  const named = typeof part.mediaType === 'string' ? part.mediaType : String(part.type);
  return /^(?:image|audio|video)/.exec(named)?.[0] ?? 'file';
}

/** Tells reasoning; some providers hand out nothing but its seal. */
export function describeReasoning(part: Fields, text: unknown, to: Pieces): void {
  to.reasoning(typeof text === 'string' && text !== '' ? text : jsonOf(sealOf(part)));
}

/** Whether the provider recognises `part` by a signature or an id of its own. */
export function isSigned(part: Fields): boolean {
  const seal = sealOf(part);
  return typeof seal === 'string' || (isFields(seal) && Object.keys(seal).length > 0);
}

function sealOf(part: Fields): unknown {
  return fieldsAt(part, 'providerMetadata') ?? fieldsAt(part, 'providerOptions') ?? part.signature;
}

/** What tells one file from another: the data behind its tag, and for objects without fields of their own their content. */
function comparable(data: unknown): unknown {
  const inner = isFields(data) ? (data.data ?? data.url ?? data) : data;
  if (inner instanceof ArrayBuffer) return new Uint8Array(inner);
  return textAt(inner, 'href') ?? inner;
}
