// The WebAssembly side as this package sees it; written by hand beside `src/wasm` of the crate.
// Times are epoch milliseconds. Numbers are range-checked there; a bad one throws at once, a plain error with a code.
// Operations run one after another, in the order of their calls.

import type { Codec, Compaction, CompactionEvent, Decision, FailureClass, GuardRecord, InjectedStore, Opened, PinResult, Receipt, SealingKey, Snapshot, StoredRecord, Trigger } from '../surface.js';

export default function init(options: { module_or_path: unknown }): Promise<unknown>;
export function initSync(options: { module: unknown }): unknown;

/** Begins a fresh instance of the same module; objects of the one before throw from then on. */
export function __wbg_reset_state(): void;

export function decodeRecord(bytes: Uint8Array, sessionId: string): GuardRecord | undefined;

/** Whether a pass can be due at all in the session with this number: 1 no, 2 yes, 0 ask it. Takes no object and no clock. */
export function overLine(number: number): 0 | 1 | 2;

/** Where text is written to as UTF-8 before it is counted; detached as soon as the memory grows. */
export function countBuffer(): Uint8Array;
/** 32 units to a token: of the first `written` bytes of the buffer, behind the byte `before`, which is 0 at the start of a text. */
export function countBytes(written: number, before: number): number;
/** What a byte costs behind another one, at `byte * 256 + other`; then what each byte costs eight times behind itself. */
export function countTable(): Uint8Array;

export class StoreHandle {
  private constructor();
  static memory(): StoreHandle;
  static indexedDb(strict: boolean, name?: string, codec?: Codec): StoreHandle;
  /** The key that the database keeps; `candidate` becomes it where there is none. */
  key(candidate: SealingKey): Promise<SealingKey>;
  static localStorage(prefix?: string): StoreHandle;
  /** `survives`: 0 nothing, 1 a reload, 2 a kill of the process. A `maxValueBytes` of 0: no limit. */
  static injected(object: InjectedStore, oneContext: boolean, survives: number, maxValueBytes: number, codec?: Codec): StoreHandle;
  readonly kind: string;
  listSessions(after: string | undefined, limit: number): Promise<string[]>;
  exportSession(id: string): Promise<Uint8Array>;
  /** The two words are random. */
  importSession(bytes: Uint8Array, id: string | undefined, hi: number, lo: number, now: number): Promise<void>;
  free(): void;
}

/** Collected before the session exists, which checks them. */
export class CoreSettings {
  setWindow(tokens: number): void;
  setMaxOutput(tokens: number): void;
  /** 0 stands for "not set" in each place. */
  addTrigger(tokens: number, windowPermille: number, messages: number): void;
  setKeep(messages: number, tokens: number): void;
  keepResults(): void;
  setTemplates(system: string, task: string): void;
  addFallback(failureClass: FailureClass): void;
  free(): void;
}

export class Core {
  constructor(sessionId: string, store: StoreHandle, settings: CoreSettings, ownerHi: number, ownerLo: number);

  /** `group`: the index of the entry that opened the call, or `u32::MAX`. */
  push(idHi: number, idLo: number, role: number, flags: number, tokens: number, group: number, calls: number, bytes: number): void;
  truncate(length: number): void;
  /** Four words for each system message in front; the answer is how many were taken, and the place of the next entry. */
  resumeAfter(after: string, head: Uint32Array): Uint32Array;
  lacksTranscript(): boolean;
  entryCount(): number;

  /** What {@link overLine} is asked with. */
  readonly number: number;
  /** Whether a pass can be due at all; for when {@link overLine} cannot tell. */
  lookOverLine(): boolean;
  shouldCompact(now: number): boolean;
  explain(now: number): Decision;
  snapshot(now: number): Snapshot;
  version(): number;
  viewRevision(): number;
  viewTokens(): number;
  /** Triples: `0, from, to` entries verbatim; `1, 0, 0` the live summary; `2, entry, _` a result whose call is not shown; `3, entry, _` a cleared entry; `4, entry, bytes` one that is cut. */
  view(): Uint32Array;
  /** Triples: `1, entry, newest` a summary that goes into the newest; `2, entry, _` drop; `3, entry, results` add the results that it lacks; `4, entry, _` take the media out. */
  repair(): Uint32Array;
  /** One text for summaries that piled up, oldest first; `wrapped` as the model is shown a summary. */
  collapse(joined: string, offsets: Uint32Array, wrapped: boolean): string;
  summaryText(): string | undefined;
  history(): Compaction[];
  drainEvents(): CompactionEvent[];

  open(now: number): Promise<Opened>;
  /** `others`: 0 nothing is known of other tabs, 1 none is at work (an attempt that the store shows as running is ended first), 2 one is. */
  claim(kind: ClaimKind, now: number, others?: 0 | 1 | 2): Promise<PlanDto | { refused: Decision; prunedTokens?: number }>;
  /**
   * 0 stands for a limit that is not known; a `sentRevision` of -1 for a summariser that is not the conversation's own model. After a
   * request that said `more`, the next one needs no text: that of a long slice crosses once.
   */
  request(
    compactionId: string,
    joined: string | undefined,
    offsets: Uint32Array,
    focus: string | undefined,
    until: string | undefined,
    contextWindow: number,
    maxOutputTokens: number,
    sentRevision: number,
    sentEntries: number,
    sentAt: number,
    now: number,
  ): RequestDto;
  refusal(compactionId: string, text: string, finish: Finish): { code: string; message: string } | undefined;
  /** Counts what a summariser was paid for, whatever comes of its answer. */
  paid(tokens: number): void;
  /** Whether the attempt still runs, as far as memory knows. */
  runs(compactionId: string): boolean;
  /** True: another request follows instead of `commit`. */
  take(compactionId: string, text: string, finish: Finish): boolean;
  /** `joined` and `offsets` are the slice, `tail` the text of what stays: what the summary lost of them becomes its last line. */
  commit(
    compactionId: string,
    text: string,
    finish: Finish,
    now: number,
    joined: string,
    offsets: Uint32Array,
    tail: string,
    carry?: string,
    through?: string,
  ): Promise<CommitDto>;
  commitFallback(compactionId: string, joined: string, offsets: Uint32Array, now: number, carry?: string, through?: string): Promise<CommitDto>;
  fail(compactionId: string, failureClass: FailureClass, retryAfterMs: number, now: number): Promise<{ retryAt?: number; fallback: boolean }>;
  cancel(compactionId: string, now: number): Promise<void>;
  renew(compactionId: string, now: number): Promise<boolean>;
  /** A `viewRevision` of -1: not known. */
  reportUsage(promptTokens: number, viewRevision: number, sentAt: number, entries: number, now: number): Promise<{ ignored?: string; verdict?: string }>;
  stepWithoutUsage(viewRevision: number, now: number): Promise<void>;
  overflow(viewRevision: number, limit: number, now: number): Promise<{ decision: Decision; stale: boolean }>;
  setModel(name: string, now: number): Promise<void>;
  /** The window of the model now in force. */
  setWindow(tokens: number): void;
  credentialsChanged(now: number): Promise<void>;
  reset(now: number): Promise<void>;
  undo(compactionId: string | undefined, now: number): Promise<CommitDto>;
  edit(compactionId: string, text: string, now: number): Promise<CommitDto>;
  pinText(text: string, now: number): Promise<PinResult>;
  /** An index of -1 is no entry, and refused. */
  pinEntry(index: number, now: number): Promise<PinResult>;
  unpin(id: string, now: number): Promise<void>;
  unpinEntry(index: number, now: number): Promise<void>;
  settle(now: number): Promise<void>;
  /** Takes what another tab left in the store; true where something was new. */
  refresh(now: number): Promise<boolean>;
  /** Ends the attempt that the store shows as running; true where there was one. Only for the holder of the session's lock. */
  takeOver(now: number): Promise<boolean>;
  /** The store's revision that memory is based on; 0 for none. */
  revision(): number;
  /** A compaction of the first `coveredEntries` that the host made by itself; its id. Only a replay needs it. */
  adopt(coveredEntries: number, summaryTokens: number, manual: boolean, now: number): Promise<string>;
  records(): Promise<StoredRecord[]>;
  remove(): Promise<void>;
  free(): void;
}

export type ClaimKind = 'auto' | 'manual' | 'overflow';
export type Finish = 'stop' | 'length' | 'refusal' | 'tool_calls' | 'unknown';

export interface PlanDto {
  compactionId: string;
  trigger: Trigger;
  means: 'model' | 'last_resort';
  /** The entries to summarise, as pairs of first and behind-last. */
  material: readonly number[];
  from: number;
  cut: number;
  previous: boolean;
  entries: number;
  tokens: number;
  promisedTokens: number;
  beforeTokens: number;
  maxTokens: number;
  deadline: number;
}

export type RequestDto = { mode: 'separate'; system: string; user: string; maxTokens: number; more: boolean } | { mode: 'in_place'; user: string; maxTokens: number };

export type CommitDto =
  | { status: 'committed'; compactionId: string; beforeTokens: number; afterTokens: number; receipt?: Receipt }
  | { status: 'failed'; code: string; message: string; retryAt?: number }
  | { status: 'superseded' };
