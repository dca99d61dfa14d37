// Which values are streams, told by their methods: a stream may come from another realm or a polyfill.

import { isFields } from '../formats/shape/json.js';

export interface BodyHolder {
  readonly body: ReadableStream;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Response['headers'];
  readonly url: string;
}

export function isStream<T>(value: T): value is T & object {
  return isReadable(value) || isResponse(value) || isAsyncIterable(value);
}

export function isReadable(value: unknown): value is ReadableStream {
  return isFields(value) && typeof value.getReader === 'function';
}

export function isResponse(value: unknown): value is BodyHolder {
  return isFields(value) && typeof value.status === 'number' && 'headers' in value && isReadable(value.body);
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isFields(value) && Symbol.asyncIterator in value && typeof value[Symbol.asyncIterator] === 'function';
}
