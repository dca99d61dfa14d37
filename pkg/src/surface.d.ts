// The public surface of compaction-governor, written by hand; the build copies it to dist/index.d.ts. Stores are in stores-surface.d.ts.
// Times are epoch milliseconds, sizes are tokens, both integers. Codes are snake_case, members camelCase.

import type { Store } from './stores-surface.js';

export * from './stores-surface.js';

/* ── Level 1 and 2: what nine in ten users touch ─────────────────────────────── */
/** Returns at once; the record is loaded behind it. The same id and store give the same object. `await` on it is harmless. */
export function openSession<M = ChatMessage>(options: SessionOptions<M>): Session<M>;

/** Compacts if that is due, and sends nothing: for alarms and idle callbacks. `refused`: why not, or that it is not. Never throws for a summariser or a store. */
export function compactIfNeeded<M>(session: Session<M>, messages: readonly M[], options?: PrepareOptions): Promise<CompactResult>;

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
  summarize?: Summarize<M> | Summarizer<M> | readonly (Summarize<M> | Summarizer<M>)[];
  /** Your own words for the request that asks for a summary. See `Templates`. */
  templates?: Templates;
  /** When to compact. Default `{ fraction: 0.8 }`. All fields of an object must hold; one object of a list is enough. */
  trigger?: Size | readonly Size[];
  /** What to keep verbatim at the end. */
  keep?: Keep;
  /** Whether old tool results and attachments are cleared from what is sent before a model is asked, where that frees a tenth of the threshold. Default: true. */
  prune?: boolean;
  /** Facts that you own and that must survive word for word: todo list, permission mode. Asked once per compaction, then frozen with it, so that the prefix stays cacheable. */
  carry?: () => string | readonly string[] | undefined;
  /** How your messages are shaped: a constant of `compaction-governor/formats`. Default: OpenAI chat messages. */
  format?: Format<M>;
  /** Which messages are summaries that your own code wrote: how they begin, or a function that knows. They are summarised again like any other message, and never taken for a user's. */
  hostSummary?: string | ((message: M) => boolean);
  /** Your own tokenizer, in place of the estimate for trigger and cut alike. Of texts above 8,192 characters it is given the beginning. */
  countTokens?: (text: string) => number;
  /**
   * Takes secrets out of every text on its way to a summariser or into the store: each message of the slice, the topic, the summary. It may
   * answer with a promise; a slice's texts are asked for at once. A text that it throws on, gives no text for or does not answer for (10 s
   * without any answer) is left out; a summary is then not used. Not asked for an `in_place` request, whose messages that model has had
   * before. `compaction-governor/redact` makes one of kept rules.
   */
  redact?: (text: string) => string | PromiseLike<string>;
  /** After which failures of the summariser a plain summary (no model) may stand in. None unless set. */
  fallback?: readonly FailureClass[];
}

export interface Session<M = ChatMessage> {
  readonly id: string;
  /** How the session was found: at first, and behind each fault. Never rejects. */
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

  /** What was committed and is kept, oldest first: as many summaries as fit into about 128 KB of text, never without the live one. */
  history(): readonly Compaction[];
  /**
   * Takes the live summary back: the next call is sent what the one before it covers, or the conversation as it is. Counts neither as a
   * failure nor as a success. What is over the line is compacted again when it is next due.
   * An id says which compaction you mean; it has to be the live one.
   */
  undo(compactionId?: string): Promise<CompactResult>;
  /** Puts your text in the place of the live summary, if it passes the checks of every summary. The old one stays for `undo`. */
  edit(compactionId: string, summary: string): Promise<CompactResult>;
  /**
   * Keeps a message (by its id) word for word in every view, with the tool results or the call that belong to it; or a text of yours, which
   * then stands behind the summary as `carry` does. Durable. `refused`: with it the fixed part would leave too little to save.
   * Rejects for an id of no message here, an empty or very long text, and beyond 32 pins.
   */
  pin(what: string | { text: string }): Promise<PinResult>;
  /** By the id of the message, or by the one that `pin` gave. What was kept is summarised with the next compaction. */
  unpin(id: string): Promise<void>;
  /** Writes what is unsaved and lets go of the record. The next `openSession` with this id loads it anew. */
  close(): Promise<void>;

  /** Level 3. */
  readonly advanced: Advanced<M>;
}

/** The platform's AbortSignal where there is one; no DOM library needed. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer T } } ? T : { readonly aborted: boolean; addEventListener(type: 'abort', listener: () => void): void };
/**
 * You pass only the messages behind the one with the id `after`, and vouch that nothing before it has changed; in front of them the system
 * messages that your conversation begins with. The id is `Opened.resumeAfter`, or that of any message the session was shown since.
 * Anything else is refused with a typed error (`unknown_after`, `head_changed`, `needs_transcript`), and nothing is lost.
 */
export interface ViewOptions {
  after?: string;
}
export interface PrepareOptions extends ViewOptions {
  /** Ends a summary that is being written; the call goes on without it. */
  signal?: Signal;
  /** The model this call goes to. Another one opens its own probe of a tripped guard. `contextWindow`: that model's; it stands until another is given. */
  model?: string;
  contextWindow?: number;
}
export interface CompactOptions extends ViewOptions {
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

/** The words around the material. A line whose placeholder has nothing to stand for is left out; one that a template lacks is refused by `openSession`. */
export interface Templates {
  /** Must hold `{material}`. */
  system: string;
  /** Must hold `{previous}`, `{focus}` and `{max_tokens}`. */
  task: string;
}
/** A way to write summaries, with its limits. */
export interface Summarizer<M = ChatMessage> extends SummarizerLimits {
  summarize: Summarize<M>;
}
export interface SummarizerLimits {
  /** Its window in tokens; requests are made to fit, a long slice in parts. Default: the conversation's. */
  contextWindow?: number;
  /** The most tokens that it can write. */
  maxOutputTokens?: number;
  /** It is the conversation's own model, called with the same tools and settings: while its prompt cache is warm it is asked `in_place`. */
  ownModel?: boolean;
}
/** Identifiers of what was summarised (paths, URLs, ids, numbers with units, error codes, quoted names, must and never sentences), and what became of them. */
export interface Receipt {
  readonly found: number;
  /** Those that still stand in the summary, in pins, carry or the messages that stay. */
  readonly kept: number;
  /** The others, the latest mentioned first; as many as had room were appended to the summary as one line. */
  readonly missing: readonly string[];
}
/** A part of a long slice was summarised, or an `in_place` answer was no summary: send this request and commit its reply too. */
export interface Unfinished<M = ChatMessage> { status: 'unfinished'; request: SummaryRequest<M> }
export type Summarize<M = ChatMessage> = (request: SummaryRequest<M>) => Promise<unknown>;
export interface SummaryRequest<M = ChatMessage> {
  /** `separate`: a request of its own, for any model. `in_place`: the last prompt plus one message; send it with the conversation's own model, tools and settings, so that its warm prompt cache pays for the slice. */
  mode: 'separate' | 'in_place';
  messages: M[];
  maxTokens: number;
  /** Fires when the answer is not waited for any more: its time is up, the call was given up, or another tab has taken the attempt over. */
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
/** `counters_only`: a summary or the pins had no room in the store and are in memory only; strikes, deadlines and counts are stored. */
export type Durability = 'durable' | 'reload_only' | 'counters_only' | 'memory' | 'degraded';
export interface Numbers { usedTokens: number | null; thresholdTokens: number | null; targetTokens: number | null; windowTokens: number | null; floorTokens: number; confidence: 'reported' | 'calibrated' | 'estimated' | 'unknown' }
export type Decision = Numbers & { sentence: string } & (
  | { action: 'compact'; trigger: Trigger }
  | { action: 'hold'; reason: HoldReason }
  | { action: 'wait'; reason: WaitReason; retryAt?: number }
  | { action: 'blocked'; reason: BlockReason; retryAt?: number; unblocksAtTokens?: number });

export type CompactResult =
  | { status: 'committed'; compactionId: string; beforeTokens: number; afterTokens: number; receipt?: Receipt }
  | { status: 'refused'; decision: Decision }
  | { status: 'failed'; error: CompactionError; retryAt?: number };

export type PinResult =
  | { status: 'pinned'; id: string; floorTokens: number }
  | { status: 'refused'; floorTokens: number; thresholdTokens: number };

export interface Snapshot extends Numbers {
  phase: 'loading' | 'idle' | 'compacting' | 'awaiting_verdict' | 'blocked';
  durability: Durability;
  decision: Decision;
  compactions: number;
  summaryTokensSpent: number;
  /** When something will change by itself: a countdown to draw, an alarm to set. */
  wakeAt?: number;
  /** While `durability` is `degraded`: how the store failed, and what helps. `reload`: only a new page can reach it again. */
  storeError?: { readonly code: string; readonly recover: 'retry' | 'reopen' | 'reload' | 'user_action' | 'never' };
  /** Whether the browser keeps this origin's storage when space gets short. Asked for once per page, after the first summary; absent where nobody can say. */
  persisted?: boolean;
}
export interface Opened {
  /**
   * `lost`: a record had been acknowledged and is gone; `rolled_back`: an older one is there. Both count as one strike, and are told apart from
   * a new session by a second memory that windows have beside IndexedDB (localStorage). `quarantined`: something could not be read and was put
   * aside; `read_only`: a newer release wrote it.
   */
  found: 'new' | 'existing' | 'rolled_back' | 'lost' | 'quarantined' | 'read_only';
  durability: Durability;
  /**
   * The id of the last message that the live summary covers, where the messages behind it are all that is needed from now on: see
   * `PrepareOptions.after`. It is your own id; where your messages have none it begins with how many messages are covered (`"128-…"`).
   * Absent where a view also shows covered messages that are no system messages in front: a system message in their midst, the newest user
   * message of a long turn, a pinned message.
   */
  resumeAfter?: string;
}
export interface Compaction { compactionId: string; at: number; trigger: Trigger; coversEntries: number; throughId: string; beforeTokens: number; afterTokens?: number; verdict: 'pending' | 'effective' | 'weak' | 'ineffective'; summary: string;
  /** Old results were cleared or giant messages cut: no model was asked, no verdict comes, the summary is the one before. */
  cleared?: true }
/** One compaction, one id, from start to end; the statuses are those of the Agent Client Protocol. */
export type CompactionEvent =
  | { type: 'compaction'; compactionId: string; status: 'in_progress' | 'completed' | 'failed' | 'cancelled'; trigger: Trigger; startedAt: number; beforeTokens?: number; afterTokens?: number; failure?: string }
  | { type: 'verdict'; compactionId: string; verdict: Compaction['verdict']; promptTokens: number; estimated: boolean }
  | { type: 'guard'; reason: BlockReason; tripped: boolean; retryAt?: number }
  /** A compaction was committed without what `carry` was to give: too long, too much for this window, or it threw or gave no text. */
  | { type: 'carry_refused'; compactionId: string; reason: 'too_large' | 'floor_bound' | 'failed'; tokens?: number; mostTokens?: number }
  | { type: 'storage'; durability: Durability }
  /** The browser's locks failed, so that another tab may be at work: nothing starts by itself; by hand, and after a refused prompt, the store alone decides. */
  | { type: 'lock_failed'; cause: unknown }
  /** More than one copy of this package is loaded here, of these versions. Each has its own sessions; through the store they work like two tabs. */
  | { type: 'two_copies'; versions: readonly string[] }
  /** Something that was stored is gone or unreadable: on opening, or under a live session, which goes on and writes what it knows. */
  | { type: 'loss'; found: 'lost' }
  | { type: 'loss'; found: 'rolled_back'; revision: number; expectedRevision: number }
  | { type: 'loss'; found: 'quarantined'; part: string }
  | { type: 'foreign_record'; sessionId: string }
  /**
   * A fault inside this package ended what the session worked with. Its next call (not one of the synchronous questions) goes on from what
   * is stored: once a minute by itself, at once behind `openSession`. Until then `prepare` hands messages back as they are, and all else
   * answers with this error (`internal`), as do plans, steps and `advanced` of before.
   */
  | { type: 'stopped'; error: CompactionError };

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
  /** Claims an attempt on the conversation last observed, in the store, before any model is called. `prunedTokens`: old results and attachments were cleared first, without a model; with `refused` that was enough. */
  plan(options?: PlanOptions): Promise<Plan<M> | { refused: Decision; prunedTokens?: number }>;
  /** The attempt of this id that this session object has going. */
  resume(compactionId: string): Promise<Plan<M> | undefined>;
  /** What the model should be sent for this conversation. Without a compaction: the same messages. */
  view(messages: readonly M[], options?: ViewOptions): View<M>;
  /** The prompt tokens that the provider counted for a call made from `view`; `undefined`: the call was completed and nothing was counted. */
  recordUsage(promptTokens: number | undefined, view: ViewStamp): Promise<void>;
  /**
   * A damaged conversation mended without a model: summaries that piled up become one, results without a call are taken out, calls without
   * results get them, media of old turns become placeholders. Nothing is stored; `dryRun` only says what would change.
   */
  repair(messages: readonly M[], options?: { dryRun?: boolean }): RepairReport<M>;
  /** Learns from a refused prompt. Any other error changes nothing and is answered with `overflow: false`. */
  recordOverflow(error: unknown, view?: ViewStamp): Promise<OverflowReport>;
  /** You have new credentials: ends the cooldown of a summariser that refused the old ones, or of an empty account. */
  credentialsChanged(): Promise<void>;
  /** Forgets every strike, pause and cooldown of this session, also those that other tabs stored. Summaries stay. */
  reset(): Promise<void>;
  /** What the store holds for this session now; `decodeRecord` reads the part `root`. Rejects where the store cannot be read. */
  records(): Promise<readonly StoredRecord[]>;
  /** What the browser says of this origin's storage: bytes used and allowed, and whether it is kept. */
  storage(): Promise<StorageReport>;
  /** Removes all that the store holds for this session. Close it first; the next `openSession` with this id starts anew. */
  remove(): Promise<void>;
}
export interface StorageReport { readonly usage?: number; readonly quota?: number; readonly persisted?: boolean }
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
  /** The newest instant that the record names; see `ListedSession`. */
  updatedAt: number | null;
  compactions: number;
  generations: number;
  summaryTokensSpent: number;
}
export interface ObserveOptions extends ViewOptions { model?: string; contextWindow?: number }
export interface PlanOptions { trigger?: 'manual'; focus?: string }
export interface PlanInfo { compactionId: string; trigger: Trigger; entries: number; tokens: number; promisedTokens: number }
export interface Plan<M = ChatMessage> extends PlanInfo {
  /** `last_resort`: there is no time for a model; `commitPlain` is what to call. */
  readonly means: 'model' | 'last_resort';
  /** The next request, for a summariser of the conversation's window. */
  readonly request: SummaryRequest<M>;
  readonly deadline: number;
  /** The next request, made for this summariser. */
  requestFor(limits: SummarizerLimits): SummaryRequest<M>;
  /** Why a commit of this reply would be refused; `undefined` where it would not. */
  refusal(reply: unknown): Promise<{ readonly code: string; readonly message: string } | undefined>;
  /** Takes the reply to the last request. `unfinished` asks for one more. */
  commit(reply: unknown): Promise<CompactResult | Unfinished<M>>;
  /** A plain summary (no model). */
  commitPlain(): Promise<CompactResult>;
  /** Ends the attempt: a plain summary where this class of failure was opted in for one, a cooldown otherwise. */
  fail(error: unknown): Promise<CompactResult>;
  /** Gives the attempt up: no failure, no strike; only a third one in a row earns a short cooldown. */
  cancel(): Promise<CompactResult>;
  /** Moves the deadline. False: the attempt is no longer this one's. */
  renew(): Promise<boolean>;
}
export interface RepairReport<M = ChatMessage> {
  /** The mended copy; with `dryRun` the messages as they were. */
  readonly messages: M[];
  readonly changes: readonly RepairChange[];
}
/** `index` is the message's place in what was given. */
export interface RepairChange { readonly code: 'summary_merged' | 'dropped' | 'results_added' | 'media_removed'; readonly index: number; readonly sentence: string }
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
/**
 * `placeholder`: a tool result that came after its call was summarised, as plain text (`late_result`), or an old one or its attachment, cleared
 * without a model (`cleared`). `capped`: one message cut to its beginning and end.
 */
export type ViewPart =
  | { kind: 'verbatim'; from: number; to: number }
  | { kind: 'summary' }
  | { kind: 'placeholder'; index: number; was: 'late_result' | 'cleared' }
  | { kind: 'capped'; index: number; bytes: number };
export type OverflowReport = { overflow: false } | {
  overflow: true;
  /** The call was made from an older view; the current one has not been refused yet. */
  stale: boolean;
  decision: Decision;
};

/* ── Sizes, messages ────────────────────────────────────────────────────────── */
export interface Size { tokens?: number; fraction?: number; messages?: number }
export interface Keep { tokens?: number; messages?: number }
export interface ChatMessage { role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function'; content?: unknown; tool_calls?: unknown; tool_call_id?: string }
/** How the messages of one provider or library are read and written. */
export interface Format<M = ChatMessage> {
  readonly name: string;
  /** What a summariser is shown of a message: calls with their input, media and encoded data as placeholders. */
  readonly text: (message: M) => string;
}
