// What the doctor says of a file. With `--json` this is printed as it stands; members are added, never renamed.

import type { Decision } from '../engine.js';
import type { PassReport, WindowSource } from '../events.js';
import type { Format } from '../read/formats.js';

export interface Report {
  type: 'diagnosis';
  version: 1;
  file: string;
  format: Format;
  /** What places count. */
  unit: 'line' | 'message';
  /** Nothing was found in any conversation, and every line could be read. */
  healthy: boolean;
  unreadable: { line: number; reason: string }[];
  notes: string[];
  conversations: Diagnosis[];
  /** `--repair` and `--dry-run` only: what mends the file, and where the mended copy is. */
  repair?: { out: string | null; changes: RepairChange[] };
}

/** `collapse`: a summary goes, the one at `into` stays; `merge`: that one, which then says what all of them said. `drop`: a result without its call goes. `close`: `calls` get a result. `strip`: media becomes a word. */
export interface RepairChange {
  action: 'collapse' | 'merge' | 'drop' | 'close' | 'strip';
  session?: string;
  line: number;
  into?: number;
  calls?: number;
}

/** One conversation, as it stands at the end of the recording: what the model would be sent next. */
export interface Diagnosis {
  /** Which one, where the file holds several. */
  session?: string;
  entries: number;
  windowTokens: number;
  windowSource: WindowSource;
  /** As the recording names it. */
  model: string | null;
  /** The governor's answer at the end. */
  decision: Decision;
  view: { entries: number; coveredEntries: number; summaryTokens: number };
  summaries: { messages: number; bytes: number; tokens: number; lines: number[] };
  orphans: { calls: number[]; results: number[] };
  /** Pictures, files and encoded data that stand inline. */
  media: { entries: number; bytes: number; lines: number[] };
  largest: Weight[];
  pass: Pass;
  pastPasses: { made: number; useless: PassReport[]; uselessTokens: number | null };
  findings: Finding[];
}

/** One of the heaviest entries. */
export interface Weight {
  line: number;
  role: 'system' | 'user' | 'assistant' | 'tool';
  tokens: number;
  bytes: number;
  mediaBytes: number;
}

/** What one pass would bring now, by the planner: where it lands at most; clearing old results needs no model; or why there is none. */
export type Pass =
  | { possible: true; means: 'summary'; coversEntries: number; keepsEntries: number; beforeTokens: number; afterTokens: number; summaryTokens: number }
  | { possible: true; means: 'clearing'; beforeTokens: number; afterTokens: number }
  | { possible: false; reason: string; sentence: string };

export interface Finding {
  code: FindingCode;
  sentence: string;
}

export type FindingCode = 'summary_pile_up' | 'orphan_calls' | 'orphan_results' | 'pass_due' | 'paused' | 'floor_bound' | 'useless_passes';
