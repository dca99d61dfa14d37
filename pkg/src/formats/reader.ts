// What a reader of one message format does: shapes in, numbers out. No threshold, no cut and no guard lives here.

import type { Finish } from '../boundary/glue.js';
import type { FailureClass } from '../surface.js';

/** Reads messages, replies and errors of one format. None of its functions throws, whatever it is given. */
export interface Reader<M> {
  readonly name: string;
  /** Without `count` the tokens are bytes / 3.5. */
  message(message: unknown, count?: TextCount): Reading;
  /** The host's own id of the message, where the format has one; else the transcript derives one. */
  id(message: unknown): string | undefined;
  /** What a summariser is shown of a message: blobs and media as typed placeholders. */
  text(message: unknown): string;
  /** The live summary as a message of the view. */
  summaryMessage(text: string): M;
  /** A tool result whose call is summarised already: providers refuse it as a result. */
  lateResult(text: string): M;
  /** A request to write a summary. */
  requestMessages(system: string, user: string): M[];
  /** One user message with this text. */
  instruction(text: string): M;
  /** The same message with its tool results and media replaced by `text`; role, ids and calls stay, so that pairs hold. */
  replaced(message: M, text: string): M;
  /** The same message with every text and every call's input longer than about `bytes` cut in its middle. */
  capped(message: M, bytes: number): M;
  /** The same message with images, files and inline blobs replaced by typed placeholders. */
  withoutMedia(message: M): M;
  /** Results for calls that never got one. */
  closing(calls: readonly string[], text: string): M[];
  usage(source: unknown): Usage | undefined;
  reply(reply: unknown): Reply;
  overflow(error: unknown): Overflow | undefined;
  failure(error: unknown, now: number): Failure;
}

/** Tokens of a text, not rounded. It never throws. */
export type TextCount = (text: string) => number;

/** One message as numbers, plus the call ids that tie messages together. */
export interface Reading {
  readonly hi: number;
  readonly lo: number;
  readonly role: number;
  readonly flags: number;
  readonly tokens: number;
  /** About how many UTF-8 bytes it weighs, inline media included. */
  readonly bytes: number;
  /** Ids of the tool calls that it opens. */
  readonly calls: readonly string[];
  /** Ids of the calls that it answers. */
  readonly answers: readonly string[];
}

export const Role = { system: 0, user: 1, assistant: 2, tool: 3 } as const;

/** `image`: any media; `leads`: never parted from the entry behind it; `blob`: a text that is mostly encoded or minified data. */
export const Flag = { synthetic: 1, call: 2, result: 4, image: 8, hostSummary: 16, leads: 32, blob: 64 } as const;

/** What a provider counted for one call; `promptTokens` is the whole prompt, cache reads included. */
export interface Usage {
  readonly promptTokens: number;
  readonly outputTokens: number;
}

export interface Reply {
  readonly text: string;
  readonly finish: Finish;
  readonly usage: Usage | undefined;
}

/** A refused prompt, with the window where the error states it. */
export interface Overflow {
  readonly limit: number | undefined;
}

export interface Failure {
  readonly failureClass: FailureClass;
  readonly retryAfterMs: number;
}
