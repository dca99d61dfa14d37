// What this package takes from the platform, declared by hand: the sources compile without the DOM library and without Node's types.

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
declare var AbortSignal: { prototype: AbortSignal };
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare const performance: { now(): number };
declare function setTimeout(run: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;
declare const crypto: { getRandomValues<T extends Uint32Array | Uint8Array>(into: T): T; readonly subtle?: import('./seal.js').Subtle } | undefined;
declare class TextEncoder {
  encodeInto(text: string, into: Uint8Array): { readonly written: number };
}
declare class TextDecoder {
  decode(bytes?: Uint8Array): string;
}
declare class ReadableStream<T = unknown> {
  constructor(source: { pull(controller: { enqueue(chunk: T): void; close(): void }): Promise<void>; cancel(reason: unknown): Promise<void> }, strategy?: { highWaterMark: number });
  getReader(): { read(): Promise<{ done: false; value: T } | { done: true; value?: T | undefined }>; cancel(reason?: unknown): Promise<void>; releaseLock(): void };
}
declare class Response {
  constructor(body: ReadableStream | null, init: { status: number; statusText: string; headers: unknown });
  readonly body: ReadableStream | null;
  readonly status: number;
  readonly statusText: string;
  readonly headers: unknown;
  readonly url: string;
}
/** Newer engines alone. */
interface Uint8ArrayConstructor {
  fromBase64?(text: string): Uint8Array;
}
declare function atob(text: string): string;
