// The neutral trace: what a recording says, whatever its format. No decision is made here.

import type { Fields } from './json.js';

/** Who speaks in an entry. The numbers are those of the WASM boundary. */
export const Role = { system: 0, user: 1, assistant: 2, tool: 3 } as const;
export type Role = (typeof Role)[keyof typeof Role];

/** What else is known of an entry, as bits. The numbers are those of the WASM boundary. */
export const Flag = { synthetic: 1, call: 2, result: 4, image: 8, hostSummary: 16, blob: 64 } as const;

/** One message, or one tool result, of the recording. */
export interface TraceEntry {
  role: Role;
  /** Bits of `Flag`. */
  flags: number;
  /** A rough count: UTF-8 bytes / 3.5, and a flat figure for each picture. */
  tokens: number;
  /** UTF-8 bytes of the text that the model reads. */
  bytes: number;
  /** Characters that are encoded data: pictures and files kept inline, and such runs inside of the text. */
  mediaBytes: number;
  /** The index of the entry that opened its atomic group (a call and all of its results share one); its own where it stands alone. */
  group: number;
  /** How many tool calls this assistant entry opens. */
  calls: number;
  /** Two halves of a 64-bit hash of role, text and calls. */
  idHash: readonly [high: number, low: number];
  /** What it says. Whoever keeps entries for long keeps their numbers alone. */
  said: Said;
}

/** The words of an entry, as the model reads them, and the calls that tie it to others. */
export interface Said {
  texts: readonly string[];
  /** Ids of the tool calls that it opens. */
  calls: readonly string[];
  /** The id of the tool call that it answers. */
  answers: string | undefined;
  /** The message of the document that says it, where one says it alone. */
  source: Fields | undefined;
}

interface Placed {
  /** Where in the recording: a line, or the ordinal of a message where the file is one JSON document. From 1. */
  line: number;
  /** Epoch milliseconds, where the recording says so. */
  at?: number | undefined;
}

export type TraceStep =
  /** A conversation begins; a file may hold several. */
  | (Placed & { kind: 'session'; label?: string | undefined; window?: number | undefined; model?: string | undefined })
  | (Placed & { kind: 'entry'; entry: TraceEntry })
  /** A model call was sent, with every entry so far. Its usage follows, where it was recorded, and then its answer as an entry. `window`: as the call states it. */
  | (Placed & { kind: 'call'; model?: string | undefined; window?: number | undefined })
  /** The whole prompt of the last call, cache reads included. A `promptTokens` of 0 is a record without a figure. */
  | (Placed & { kind: 'usage'; promptTokens: number; outputTokens: number })
  /** The recording replaced its first `coversEntries` entries by a summary. */
  | (Placed & { kind: 'compaction'; coversEntries: number; summaryTokens: number; tokensBefore?: number | undefined; trigger?: string | undefined; cost?: Cost | undefined })
  /** The recording went back: only its first `entries` entries stand. */
  | (Placed & { kind: 'rewind'; entries: number })
  | (Placed & { kind: 'unreadable'; reason: string })
  /** Something a person should know; no number depends on it. */
  | (Placed & { kind: 'note'; text: string });

/** What the provider counted for a summariser's own request. */
export interface Cost {
  promptTokens: number;
  outputTokens: number;
  /** Whether that is a usage record of its own, or part of the one that follows. */
  separate: boolean;
}

/** Turns the records of one format into steps. One per file. */
export interface TraceReader {
  /** One record: a line of JSONL, already parsed. Never throws, whatever the record holds. */
  record(value: unknown, line: number): Iterable<TraceStep>;
  /** A whole file that is one JSON value, where the format has such files. Positions then count messages. */
  document?(value: unknown): Iterable<TraceStep>;
  /** What was still held back when the recording ended. */
  end(): Iterable<TraceStep>;
}

/** Tokens assumed for one picture, as the package's own reader has it: OpenAI charges 765 for a square megapixel, Anthropic at most about 1,600. */
export const IMAGE_TOKENS = 1_200;
