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

/** What one pass would bring now, by the planner: where it lands at most; or why there is none. */
export type Pass =
  | { possible: true; coversEntries: number; keepsEntries: number; beforeTokens: number; afterTokens: number; summaryTokens: number }
  | { possible: false; reason: string; sentence: string };

export interface Finding {
  code: FindingCode;
  sentence: string;
}

export type FindingCode = 'summary_pile_up' | 'orphan_calls' | 'orphan_results' | 'pass_due' | 'paused' | 'floor_bound' | 'useless_passes';
