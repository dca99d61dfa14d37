// Puts a meter into a stream without changing what comes out of it.

import type { Usage } from '../formats/reader.js';
import { isAsyncIterable, isReadable, isResponse, type BodyHolder } from './kind.js';
import { Meter, type ReadUsage } from './meter.js';

/** Returns what to consume instead of `stream`. `report` is called once: at the end, at an error, or when it is cancelled. */
export function tap<T extends object>(stream: T, read: ReadUsage, report: (usage: Usage | undefined) => void): T;
export function tap(stream: object, read: ReadUsage, report: (usage: Usage | undefined) => void): object {
  const meter = new Meter(read, report);
  if (isResponse(stream)) return tapResponse(stream, meter);
  if (isReadable(stream)) return tapReadable(stream, meter);
  if (isAsyncIterable(stream)) return tapIterable(stream, meter);
  meter.chunk(stream);
  meter.close();
  return stream;
}

function tapResponse(response: BodyHolder, meter: Meter): object {
  const { status, statusText, headers } = response;
  const tapped = new Response(tapReadable(response.body, meter), { status, statusText, headers });
  return Object.defineProperty(tapped, 'url', { value: response.url });
}

/** Reads only when the consumer does, so that back-pressure reaches the provider. */
function tapReadable(stream: ReadableStream, meter: Meter): ReadableStream {
  const reader = stream.getReader();
  const source = {
    async pull(controller: { enqueue(chunk: unknown): void; close(): void }): Promise<void> {
      const result = await closingOnError(reader.read(), meter);
      if (result.done) {
        meter.close();
        controller.close();
      } else {
        meter.chunk(result.value);
        controller.enqueue(result.value);
      }
    },
    async cancel(reason: unknown): Promise<void> {
      meter.close();
      await reader.cancel(reason);
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** Client libraries' streams carry more than their chunks (an abort controller, `tee`), so the object itself stays and its iterator is replaced. */
function tapIterable(stream: AsyncIterable<unknown>, meter: Meter): object {
  const iterate = stream[Symbol.asyncIterator].bind(stream);
  const value = (): AsyncIterableIterator<unknown> => tapIterator(iterate(), meter);
  if (!Reflect.defineProperty(stream, Symbol.asyncIterator, { value, configurable: true })) meter.close();
  return stream;
}

function tapIterator(inner: AsyncIterator<unknown>, meter: Meter): AsyncIterableIterator<unknown> {
  const iterator: AsyncIterableIterator<unknown> = {
    [Symbol.asyncIterator]: () => iterator,
    async next() {
      const result = await closingOnError(inner.next(), meter);
      if (result.done) meter.close();
      else meter.chunk(result.value);
      return result;
    },
    async return(value: unknown) {
      meter.close();
      return (await inner.return?.(value)) ?? { done: true, value };
    },
  };
  return iterator;
}

async function closingOnError<T>(step: Promise<T>, meter: Meter): Promise<T> {
  try {
    return await step;
  } catch (error) {
    meter.close();
    throw error;
  }
}
