// The public surface of compaction-governor, written by hand; the build copies it to dist/index.d.ts as it stands.
// Times are epoch milliseconds, sizes are tokens, both integers. Codes are snake_case, members camelCase.

/* ── Level 1 and 2: what nine in ten users touch ─────────────────────────────── */

/** Returns at once; the record is loaded behind it. The same id and store give the same object. `await` on it is harmless. */
export function openSession<M = ChatMessage>(options: SessionOptions<M>): Session<M>;

export interface SessionOptions<M = ChatMessage> {
  /** Your conversation's id: chatId, thread_id, gen_ai.conversation.id. */
  id: string;
  /** Where the guard, the summary and what it covers live. */
  store: Store;
  /** The model's window in tokens. Left out, it is learned from the provider's errors; until then nothing is compacted by threshold. */
  contextWindow?: number;
  /** The longest answer, where the provider counts it against the window. */
  maxOutputTokens?: number;
  /** Writes a summary. Return the provider's reply as it is: text, finish reason and usage are read from it. A list is tried in order. */
  summarize?: Summarize<M> | readonly Summarize<M>[];
  /** When to compact. Default `{ fraction: 0.8 }`. All fields of an object must hold; one object of a list is enough. */
  trigger?: Size | readonly Size[];
  /** What to keep verbatim at the end. */
  keep?: Keep;
  /** How your messages are shaped: a constant of `compaction-governor/formats`. Default: OpenAI chat messages. */
  format?: Format<M>;
  /** Which messages are summaries that your own code wrote: how they begin, or a function that knows. They are summarised again like any other message, and never taken for a user's. */
  hostSummary?: string | ((message: M) => boolean);
  /** After which failures of the summariser a plain summary (no model) may stand in. None unless set. */
  fallback?: readonly FailureClass[];
}

export interface Session<M = ChatMessage> {
  readonly id: string;
  /** How the session was found. Never rejects. */
  readonly ready: Promise<Opened>;

  /** The whole loop for one model call: compact if due, send, read the usage, and after a proven overflow compact and send once more. */
  run<R>(messages: readonly M[], send: (messages: M[], step: Step<M>) => Promise<R>, options?: PrepareOptions): Promise<R>;
  /** The first half of `run`: what to send now. Never throws because a summary failed. */
  prepare(messages: readonly M[], options?: PrepareOptions): Promise<Step<M>>;
  /** Compacts now because a person or the model asked. Says what came of it; never strikes, never loops. */
  compact(messages: readonly M[], options?: CompactOptions): Promise<CompactResult>;

  /** For `useSyncExternalStore` and anything that draws. Same object until something changed. */
  getSnapshot(): Snapshot;
  subscribe(listener: () => void): () => void;
  on(listener: (event: CompactionEvent) => void): () => void;

  /** O(1), no allocation, changes nothing. */
  shouldCompact(): boolean;
  /** The same answer with its reason, numbers, exits and one sentence. Changes nothing. */
  explain(): Decision;

  /** What was committed, oldest first. */
  history(): readonly Compaction[];
  /** Writes what is unsaved and lets go of the record. The next `openSession` with this id loads it anew. */
  close(): Promise<void>;

  /** Level 3. */
  readonly advanced: Advanced<M>;
}

/** The platform's AbortSignal where there is one; no DOM library needed. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer T } } ? T : { readonly aborted: boolean; addEventListener(type: 'abort', listener: () => void): void };
export interface PrepareOptions {
  /** Ends a summary that is being written; the call goes on without it. */
  signal?: Signal;
  /** The model this call goes to. Another one opens its own probe of a tripped guard. */
  model?: string;
}
export interface CompactOptions {
  /** What the summary should dwell on. */
  focus?: string;
  signal?: Signal;
}

/** One model call. It knows which view it was made from, so a late usage report cannot be mistaken. */
export interface Step<M = ChatMessage> {
  readonly messages: M[];
  readonly compacted: boolean;
  /** How many leading messages are those of the view before: what a prompt cache can reuse. */
  readonly stablePrefix: number;
  readonly decision: Decision;
  /** Give the reply, its usage, or `{ promptTokens }`. Resolves when written; never rejects. The first of `done` and `tap` counts. */
  done(reply: UsageSource): Promise<void>;
  /** Passes a stream or a Response through unchanged and reads the usage at its end. */
  tap<T extends object>(stream: T): T;
  /** Was it an overflow? Then it is learned, and `retry` says that `prepare` would now send less. */
  failed(error: unknown): Promise<'retry' | 'rethrow'>;
}

export type UsageSource = unknown;

export type Summarize<M = ChatMessage> = (request: SummaryRequest<M>) => Promise<unknown>;
export interface SummaryRequest<M = ChatMessage> {
  /** `separate`: a request of its own, for any model. */
  mode: 'separate';
  messages: M[];
  maxTokens: number;
  signal: Signal;
  compactionId: string;
}

/* ── Decisions ──────────────────────────────────────────────────────────────── */
export type Trigger = 'threshold' | 'overflow' | 'manual' | 'probe';
export type HoldReason = 'below_threshold' | 'disabled' | 'window_unknown';
export type WaitReason = 'in_progress' | 'awaiting_usage' | 'open_tool_calls' | 'probe_in_progress';
export type BlockReason = 'cooldown' | 'ineffective' | 'fallback_streak' | 'refilling' | 'floor_bound' | 'nothing_to_compact' | 'turn_limit';
/** Why a summary could not be written. */
export type FailureClass = 'other' | 'timeout' | 'rate_limit' | 'no_summarizer' | 'auth' | 'quota';
export type Durability = 'durable' | 'reload_only' | 'memory' | 'degraded';
export interface Numbers { usedTokens: number | null; thresholdTokens: number | null; targetTokens: number | null; windowTokens: number | null; floorTokens: number; confidence: 'reported' | 'calibrated' | 'estimated' | 'unknown' }
export type Decision = Numbers & { sentence: string } & (
  | { action: 'compact'; trigger: Trigger }
  | { action: 'hold'; reason: HoldReason }
  | { action: 'wait'; reason: WaitReason; retryAt?: number }
  | { action: 'blocked'; reason: BlockReason; retryAt?: number; unblocksAtTokens?: number });

export type CompactResult =
  | { status: 'committed'; compactionId: string; beforeTokens: number; afterTokens: number }
  | { status: 'refused'; decision: Decision }
  | { status: 'failed'; error: CompactionError; retryAt?: number };

export interface Snapshot extends Numbers {
  phase: 'loading' | 'idle' | 'compacting' | 'awaiting_verdict' | 'blocked';
  durability: Durability;
  decision: Decision;
  compactions: number;
  summaryTokensSpent: number;
  /** When something will change by itself: a countdown to draw, an alarm to set. */
  wakeAt?: number;
}
export interface Opened { found: 'new' | 'existing' | 'rolled_back' | 'lost' | 'quarantined' | 'read_only'; durability: Durability }
export interface Compaction { compactionId: string; at: number; trigger: Trigger; coversEntries: number; throughId: string; beforeTokens: number; afterTokens?: number; verdict: 'pending' | 'effective' | 'weak' | 'ineffective'; summary: string }
/** One compaction, one id, from start to end; the statuses are those of the Agent Client Protocol. */
export type CompactionEvent =
  | { type: 'compaction'; compactionId: string; status: 'in_progress' | 'completed' | 'failed' | 'cancelled'; trigger: Trigger; startedAt: number; beforeTokens?: number; afterTokens?: number; failure?: string }
  | { type: 'verdict'; compactionId: string; verdict: Compaction['verdict']; promptTokens: number; estimated: boolean }
  | { type: 'guard'; reason: BlockReason; tripped: boolean; retryAt?: number }
  | { type: 'storage'; durability: Durability }
  | { type: 'foreign_record'; sessionId: string };

export interface CompactionError extends Error {
  readonly code: string;
  /** Whether the same call can succeed later without anything being changed. */
  readonly retryable: boolean;
  /** `unknown`: nobody can tell yet whether it took effect; the next load decides. */
  readonly applied: 'no' | 'unknown';
  /** Where it is explained, as a link relative to the package. */
  readonly docs: string;
}
/** Holds for the errors of any copy of this package in the process. */
export function isCompactionError(error: unknown): error is CompactionError;

/* ── Level 3: full control ──────────────────────────────────────────────────── */
export interface Advanced<M = ChatMessage> {
  /** Tells what the conversation holds now. New messages are read once; an edit or another branch is noticed. */
  observe(messages: readonly M[], options?: ObserveOptions): void;
  /** Claims an attempt on the conversation last observed, in the store, before any model is called. */
  plan(options?: PlanOptions): Promise<Plan<M> | { refused: Decision }>;
  /** The attempt of this id that this session object has going. */
  resume(compactionId: string): Promise<Plan<M> | undefined>;
  /** What the model should be sent for this conversation. Without a compaction: the same messages. */
  view(messages: readonly M[]): View<M>;
  /** The prompt tokens that the provider counted for a call made from `view`; `undefined`: the call was completed and nothing was counted. */
  recordUsage(promptTokens: number | undefined, view: ViewStamp): Promise<void>;
  /** Learns from a refused prompt. Any other error changes nothing and is answered with `overflow: false`. */
  recordOverflow(error: unknown, view?: ViewStamp): Promise<OverflowReport>;
  /** You have new credentials: ends the cooldown of a summariser that refused the old ones, or of an empty account. */
  credentialsChanged(): Promise<void>;
  /** Forgets every strike, pause and cooldown of this session, also those that other tabs stored. Summaries stay. */
  reset(): Promise<void>;
  /** What the store holds for this session now; `decodeRecord` reads the part `root`. Rejects where the store cannot be read. */
  records(): Promise<readonly StoredRecord[]>;
  /** Removes all that the store holds for this session. Close it first; the next `openSession` with this id starts anew. */
  remove(): Promise<void>;
}
/** One record as the store holds it: `root`, or a generation by its number. */
export interface StoredRecord { readonly part: string; readonly revision: number; readonly bytes: Uint8Array }
/** The guard state that a root record carries, in plain words and numbers, for a page or a terminal that shows it. `undefined`: not readable as this session's. */
export function decodeRecord(bytes: Uint8Array, sessionId: string): GuardRecord | undefined;
export interface GuardRecord {
  phase: 'idle' | 'compacting' | 'awaiting_verdict';
  viewRevision: number;
  ineffectiveStreak: number;
  weakStreak: number;
  fallbackStreak: number;
  tripped: boolean;
  /** When a tripped guard opens by time alone. */
  recoveryAt: number | null;
  rung: number;
  probes: number;
  baselineTokens: number | null;
  strikeThresholdTokens: number | null;
  cooldownUntil: number | null;
  cooldownClass: string | null;
  interruptedStreak: number;
  attemptsWithoutProgress: number;
  afterLastResort: boolean;
  lastAttemptEnd: number | null;
  learnedWindowTokens: number | null;
  anchorTokens: number | null;
  overheadTokens: number | null;
  compactions: number;
  generations: number;
  summaryTokensSpent: number;
}
export interface ObserveOptions { model?: string }
export interface PlanOptions { trigger?: 'manual'; focus?: string }
export interface PlanInfo { compactionId: string; trigger: Trigger; entries: number; tokens: number; promisedTokens: number }
export interface Plan<M = ChatMessage> extends PlanInfo {
  /** `last_resort`: there is no time for a model; `commitPlain` is what to call. */
  readonly means: 'model' | 'last_resort';
  readonly request: SummaryRequest<M>;
  readonly deadline: number;
  commit(reply: unknown): Promise<CompactResult>;
  /** A plain summary (no model). */
  commitPlain(): Promise<CompactResult>;
  /** Ends the attempt: a plain summary where this class of failure was opted in for one, a cooldown otherwise. */
  fail(error: unknown): Promise<CompactResult>;
  /** Gives the attempt up: no failure, no strike; only a third one in a row earns a short cooldown. */
  cancel(): Promise<CompactResult>;
  /** Moves the deadline. False: the attempt is no longer this one's. */
  renew(): Promise<boolean>;
}
/** Which view a call was made from. Every `View` is one. */
export interface ViewStamp { readonly revision: number; readonly entries?: number; readonly at?: number }
export interface View<M = ChatMessage> {
  readonly messages: M[];
  readonly revision: number;
  /** Messages of the conversation that it stands for. */
  readonly entries: number;
  /** When it was made. */
  readonly at: number;
  readonly tokens: number;
  readonly stablePrefix: number;
  readonly parts: readonly ViewPart[];
}
/** `placeholder`: a tool result that came after its call was summarised, as plain text. */
export type ViewPart = { kind: 'verbatim'; from: number; to: number } | { kind: 'summary' } | { kind: 'placeholder'; index: number };
export type OverflowReport = { overflow: false } | {
  overflow: true;
  /** The call was made from an older view; the current one has not been refused yet. */
  stale: boolean;
  decision: Decision;
};

/* ── Sizes, messages, stores ────────────────────────────────────────────────── */
export interface Size { tokens?: number; fraction?: number; messages?: number }
export interface Keep { tokens?: number; messages?: number }
export interface ChatMessage { role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function'; content?: unknown; tool_calls?: unknown; tool_call_id?: string }
/** How the messages of one provider or library are read and written. */
export interface Format<M = ChatMessage> {
  readonly name: string;
  /** What a summariser is shown of a message: calls with their input, media and encoded data as placeholders. */
  readonly text: (message: M) => string;
}
export interface Store { readonly kind: string }
export function indexedDb(options?: { name?: string }): Store;
export function localStorageStore(options?: { prefix?: string }): Store;
export function memory(): Store;
