// What a replay reports. With `--json` each of these is one line; the last line is the summary.

import type { Decision, Verdict } from './engine.js';
import type { Format } from './read/formats.js';

/** Where something happened. */
export interface Place {
  /** The line of the file, or the ordinal of the message where the file is one JSON document (see `recording.unit`). */
  line: number;
  /** Which conversation of the file, where it holds several. */
  session?: string;
  /** Model calls so far, this one included. */
  call: number;
  /** Epoch milliseconds as recorded; null where the recording has no times. */
  at: number | null;
}

/** An event before anyone has said where it happened. */
export type Placeless<E> = E extends Place ? Omit<E, keyof Place> : never;

/** First line: what is replayed, and how. */
export interface RecordingEvent {
  type: 'recording';
  version: 1;
  file: string;
  format: Format;
  unit: 'line' | 'message';
  mode: Mode;
}

/** `summarize`: whole compactions through the package's public session, with the scripted summariser. */
export type Mode = 'observe' | 'simulate' | 'summarize';

/** The window that a conversation is held against. */
export type WindowEvent = Place & { type: 'window'; windowTokens: number; source: WindowSource; model: string | null };
/** `learned`: a recorded prompt was larger than the window in force, and so proved it wrong. */
export type WindowSource = 'option' | 'recording' | 'model' | 'assumed' | 'learned';

/** The governor's answer at a model call, where it differs from its answer at the call before. */
export type DecisionEvent = Place & { type: 'decision'; decision: Decision };

/** A pass that was made: by the recording (observe) or by the governor with the scripted summariser (simulate). */
export type CompactionEvent = Place & {
  type: 'compaction';
  by: 'recording' | 'governor';
  /** Observe: what the governor itself would have done here. Simulate: why it began. */
  decision: Decision;
  entries: number;
  coversEntries: number;
  /** As the recording says, else as the governor saw it. */
  beforeTokens: number | null;
  summaryTokens: number;
  /** How the recording says it began: `auto`, `manual`. */
  trigger: string | null;
};

/** The governor cleared old results without a model, and that was enough: no summary was written, nothing was spent. Simulations only. */
export type ClearedEvent = Place & { type: 'cleared'; decision: Decision; clearedTokens: number };

/** A pass that the governor began and that came to nothing. Simulate only. */
export type FailedEvent = Place & { type: 'failed'; code: string; message: string };

/** Was the pass worth it? Judged by the next prompt that was reported or, where none is, by an estimate. */
export type VerdictEvent = Place & { type: 'verdict'; verdict: Verdict; estimated: boolean; madeAtLine: number; beforeTokens: number | null; afterTokens: number | null };

/** The provider would have refused this prompt. Simulate only. `fixedTokens` are outside of the messages; where they alone exceed the window, it is said once. */
export type OverflowEvent = Place & { type: 'overflow'; promptTokens: number; windowTokens: number; fixedTokens: number; gaveUp: boolean };

/** What a model is sent after a pass, as sizes. `summarize` only. `keptMessages` are those of the recording, as they were. */
export type ViewEvent = Place & { type: 'view'; messages: number; keptMessages: number; bytes: number; summaryBytes: number; stablePrefix: number };

/** A usage record that the governor did not believe, and why. */
export type IgnoredEvent = Place & { type: 'ignored'; promptTokens: number; reason: string };

/** A compaction of the recording that a simulation leaves out. */
export type LeftOutEvent = Place & { type: 'left_out'; tokensBefore: number | null };

/** The recording went back: a retry, an edit, another branch. */
export type RewindEvent = Place & { type: 'rewind'; entries: number; dropped: number };

export interface UnreadableEvent {
  type: 'unreadable';
  line: number;
  reason: string;
}

export interface NoteEvent {
  type: 'note';
  text: string;
}

/** One pass in the summary. */
export interface PassReport {
  line: number;
  session?: string;
  by: 'recording' | 'governor';
  beforeTokens: number | null;
  afterTokens: number | null;
  verdict: Verdict;
  /** What the summariser read and wrote, about. Null where it cannot be known. */
  spentTokens: number | null;
}

/** Last line. */
export interface SummaryEvent {
  type: 'summary';
  sessions: number;
  entries: number;
  modelCalls: number;
  usageRecords: number;
  /** Usage records that hold no figure: aborted calls. */
  usageWithoutFigure: number;
  usageIgnored: number;
  unreadable: number;
  recordedCompactions: number;
  /** The largest prompt that the recording reports; null where it reports none. */
  peakPromptTokens: number | null;
  /** The largest prompt of the simulation; null when observing. */
  simulatedPeakPromptTokens: number | null;
  windowTokens: number | null;
  passes: PassReport[];
  /** How often the governor began to want a pass (observe), or began one (simulate). */
  started: number;
  /** How often each refusal or wait began. */
  refused: { action: 'wait' | 'blocked'; reason: string; times: number; firstLine: number; firstSession?: string; sentence: string }[];
  /** What was cleared without a model, and how often. Simulations only. */
  cleared: { times: number; tokens: number };
  /** Prompts that the provider would have refused. Simulate only. */
  overflows: number;
  /** Tokens that passes cost which did not help; null where some of it cannot be known. */
  uselessTokens: number | null;
}

type Marked = { /** Present and true on every line of `--simulate` and `--summarize`. */ simulated?: true };
export type ReplayEvent = Marked &
  (RecordingEvent | WindowEvent | DecisionEvent | CompactionEvent | ClearedEvent | FailedEvent | VerdictEvent | OverflowEvent | ViewEvent | IgnoredEvent | LeftOutEvent | RewindEvent | UnreadableEvent | NoteEvent | SummaryEvent);

export type Emit = (event: ReplayEvent) => void;
