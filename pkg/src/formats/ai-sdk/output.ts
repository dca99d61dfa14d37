// What a tool returned, as the AI SDK keeps it: any JSON, and that of an MCP tool with its images inside.

import { withoutBlobs } from '../shape/blob.js';
import { cutText, cutValue } from '../shape/cut.js';
import { fieldsAt, isFields, type Fields } from '../shape/json.js';
import type { Pieces } from '../shape/pieces.js';
import { Trail } from '../shape/trail.js';

/** Tells `output`; the images of an MCP tool as images, since its calls show them to the model so. */
export function describeOutput(output: unknown, to: Pieces): void {
  const content = fieldsAt(output, 'content');
  if (!Array.isArray(content) || !content.some(isMcpMedia)) return to.value(output);
  for (const part of content) {
    if (isMcpMedia(part)) to.media(part.type, part);
    else to.value(isFields(part) && typeof part.text === 'string' ? part.text : part);
  }
}

/** `output` in about `bytes`. An image is never cut: one that is too large is left out whole. */
export function cutOutput(output: unknown, bytes: number): unknown {
  if (typeof output === 'string') return cutText(output, bytes);
  return cutValue(output, bytes) === output ? output : cutValue(withoutMediaIn(output), bytes);
}

/** `output` with images and encoded data replaced by typed placeholders; the same value where there are none. */
export function withoutMediaIn(output: unknown): unknown {
  return new Lightener().value(output);
}

class Lightener {
  readonly #trail = new Trail();

  value(value: unknown): unknown {
    if (typeof value === 'string') return withoutBlobs(value);
    if (!isFields(value) || ArrayBuffer.isView(value)) return value;
    if (isMcpMedia(value)) return { type: 'text', text: `[${value.type}]` };
    if (!this.#trail.enter(value)) return value;
    const lighter = Array.isArray(value) ? this.#list(value) : this.#fields(value);
    this.#trail.leave();
    return lighter;
  }

  #list(list: readonly unknown[]): unknown {
    const items = list.map((item) => this.value(item));
    return items.every((item, i) => item === list[i]) ? list : items;
  }

  #fields(fields: Fields): unknown {
    const entries = Object.entries(fields).map(([key, inner]): [string, unknown] => [key, this.value(inner)]);
    return entries.every(([key, inner]) => inner === fields[key]) ? fields : Object.fromEntries(entries);
  }
}

interface McpMedia extends Fields {
  readonly type: 'image' | 'audio';
}

function isMcpMedia(part: unknown): part is McpMedia {
  return isFields(part) && (part.type === 'image' || part.type === 'audio') && typeof part.data === 'string' && typeof part.mimeType === 'string';
}
