// The WebAssembly side as this package sees it; written by hand beside `src/wasm` of the crate.
// Times are epoch milliseconds. Numbers are range-checked there; a bad one throws at once, a plain error with a code.
// Operations run one after another, in the order of their calls.

import type { Compaction, CompactionEvent, Decision, FailureClass, GuardRecord, Opened, Snapshot, StoredRecord, Trigger } from '../surface.js';

export function initSync(options: { module: Uint8Array }): unknown;

export function decodeRecord(bytes: Uint8Array, sessionId: string): GuardRecord | undefined;

/** Whether a pass can be due at all in the session with this number: 1 no, 2 yes, 0 ask it. Takes no object and no clock. */
export function overLine(number: number): 0 | 1 | 2;

export class StoreHandle {
  private constructor();
  static memory(): StoreHandle;
  static indexedDb(name?: string): StoreHandle;
  static localStorage(prefix?: string): StoreHandle;
  readonly kind: string;
  free(): void;
}

/** Collected before the session exists, which checks them. */
export class CoreSettings {
  setWindow(tokens: number): void;
  setMaxOutput(tokens: number): void;
  /** 0 stands for "not set" in each place. */
  addTrigger(tokens: number, windowPermille: number, messages: number): void;
  setKeep(messages: number, tokens: number): void;
  addFallback(failureClass: FailureClass): void;
  free(): void;
}

export class Core {
  constructor(sessionId: string, store: StoreHandle, settings: CoreSettings, ownerHi: number, ownerLo: number);

  /** `group`: the index of the entry that opened the call, or `u32::MAX`. */
  push(idHi: number, idLo: number, role: number, flags: number, tokens: number, group: number, calls: number): void;
  truncate(length: number): void;
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
  /** Triples `[kind, from, to)`: 0 is entries verbatim, 1 the live summary, 2 one result whose call is not shown. */
  view(): Uint32Array;
  summaryText(): string | undefined;
  history(): Compaction[];
  drainEvents(): CompactionEvent[];

  open(now: number): Promise<Opened>;
  claim(kind: ClaimKind, now: number): Promise<PlanDto | { refused: Decision }>;
  request(compactionId: string, joined: string, offsets: Uint32Array, focus?: string): { system: string; user: string };
  commit(compactionId: string, text: string, finish: Finish, spentTokens: number, now: number): Promise<CommitDto>;
  commitFallback(compactionId: string, joined: string, offsets: Uint32Array, now: number): Promise<CommitDto>;
  fail(compactionId: string, failureClass: FailureClass, retryAfterMs: number, now: number): Promise<{ retryAt?: number; fallback: boolean }>;
  cancel(compactionId: string, now: number): Promise<void>;
  renew(compactionId: string, now: number): Promise<boolean>;
  /** A `viewRevision` of -1: not known. */
  reportUsage(promptTokens: number, viewRevision: number, sentAt: number, entries: number, now: number): Promise<{ ignored?: string; verdict?: string }>;
  stepWithoutUsage(viewRevision: number, now: number): Promise<void>;
  overflow(viewRevision: number, limit: number, now: number): Promise<{ decision: Decision; stale: boolean }>;
  setModel(name: string, now: number): Promise<void>;
  credentialsChanged(now: number): Promise<void>;
  reset(now: number): Promise<void>;
  settle(now: number): Promise<void>;
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

export type CommitDto =
  | { status: 'committed'; compactionId: string; beforeTokens: number; afterTokens: number }
  | { status: 'failed'; code: string; message: string; retryAt?: number }
  | { status: 'superseded' };
