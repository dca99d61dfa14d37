// The governor's own engine, as far as a replay needs it. The shapes are those of the package's surface.

export interface Decision {
  action: 'hold' | 'compact' | 'wait' | 'blocked';
  reason?: string;
  trigger?: string;
  retryAt?: number;
  unblocksAtTokens?: number;
  usedTokens: number | null;
  thresholdTokens: number | null;
  targetTokens: number | null;
  windowTokens: number | null;
  floorTokens: number;
  confidence: string;
  sentence: string;
}

export type Verdict = 'pending' | 'effective' | 'weak' | 'ineffective';

/** What the engine tells of its own accord. Only verdicts matter to a replay. */
export interface Told {
  type: string;
  compactionId?: string;
  verdict?: Verdict;
  /** The prompt that a verdict went by, less what was added since the pass. */
  promptTokens?: number;
  /** Whether an estimate judged, for want of a report. */
  estimated?: boolean;
}

export interface Plan {
  compactionId: string;
  means: 'model' | 'last_resort';
  entries: number;
  tokens: number;
  /** Where the prompt lands at most, with a summary of full length. */
  promisedTokens: number;
  beforeTokens: number;
  maxTokens: number;
  cut: number;
}

/** No plan. With `prunedTokens`, because old results were cleared without a model and that was enough. */
export interface Refused {
  refused: Decision;
  prunedTokens?: number;
}

export type Committed =
  | { status: 'committed'; compactionId: string; beforeTokens: number; afterTokens: number }
  | { status: 'failed'; code: string; message: string }
  | { status: 'superseded' };

/** One session of the governor. It decides; a replay only feeds it and writes down what it says. */
export interface Engine {
  /** `group`: the index of the entry that opened its tool call, or that of the entry itself. */
  push(idHi: number, idLo: number, role: number, flags: number, tokens: number, group: number, calls: number, bytes: number): void;
  truncate(length: number): void;
  entryCount(): number;
  explain(now: number): Decision;
  viewRevision(): number;
  /** Triples, as the boundary has them: 0 is entries verbatim, 1 the live summary, 2 a result whose call is not shown, 3 a cleared entry, 4 one cut to so many bytes. */
  view(): Uint32Array;
  summaryText(): string | undefined;
  /** Each event once, in order. */
  drainEvents(): Told[];
  open(now: number): Promise<unknown>;
  claim(kind: 'auto' | 'manual' | 'overflow', now: number): Promise<Plan | Refused>;
  paid(tokens: number): void;
  commit(compactionId: string, text: string, finish: 'stop', now: number, joined: string, offsets: Uint32Array, tail: string): Promise<Committed>;
  commitFallback(compactionId: string, joined: string, offsets: Uint32Array, now: number, carry?: string): Promise<Committed>;
  reportUsage(promptTokens: number, viewRevision: number, sentAt: number, entries: number, now: number): Promise<{ ignored?: string; verdict?: string }>;
  stepWithoutUsage(viewRevision: number, now: number): Promise<void>;
  overflow(viewRevision: number, limit: number, now: number): Promise<{ decision: Decision; stale: boolean }>;
  setModel(name: string, now: number): Promise<void>;
  settle(now: number): Promise<void>;
  /** A compaction that the recording made by itself, without the governor's leave. */
  adopt(coveredEntries: number, summaryTokens: number, manual: boolean, now: number): Promise<string>;
  /** What mends the conversation: triples `action, entry, reference`, as `repairsOf` reads them. */
  repair(): Uint32Array;
  /** One text for summaries that piled up, oldest first. */
  collapse(joined: string, offsets: Uint32Array, wrapped: boolean): string;
  free(): void;
}

/** Makes a session in a store of its own, in memory, for a window of so many tokens. */
export type NewEngine = (sessionId: string, windowTokens: number) => Engine;
