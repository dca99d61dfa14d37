// One conversation of a recording, fed to one session of the governor. What is done at a model call differs between
// observing and simulating; what is common to both is here.

import { Clock } from './clock.js';
import type { Decision, Engine, NewEngine } from './engine.js';
import type { Emit, PassReport, Place, Placeless, ReplayEvent } from './events.js';
import type { Tally } from './tally.js';
import type { TraceEntry, TraceStep } from './trace.js';
import { Verdicts } from './verdicts.js';
import { windowFor } from './window.js';

type Step<K extends TraceStep['kind']> = Extract<TraceStep, { kind: K }>;

export interface Setting {
  id: string;
  label: string | undefined;
  format: string;
  windowOption: number | undefined;
  windowRecorded: number | undefined;
  /** The first call's, where the recording says it before. */
  model: string | undefined;
  newEngine: NewEngine;
  tally: Tally;
  emit: Emit;
}

/** The model call whose answer the recording gives next. */
export interface Call {
  line: number;
  viewRevision: number;
  sentAt: number;
  /** Entries that its prompt covers. */
  entries: number;
  answered: boolean;
}

export abstract class Conversation {
  protected readonly tally: Tally;
  protected readonly clock = new Clock();
  protected call: Call | undefined;
  readonly #setting: Setting;
  readonly #emit: Emit;
  readonly #verdicts: Verdicts;
  #engine: Engine | undefined;
  #held: TraceEntry[] = [];
  #calls = 0;
  #line = 0;
  #model: string | undefined;
  #window = 0;
  #windowSaid = 0;
  #windowStated: number | undefined;
  #lastAnswer = 'hold/below_threshold';

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#windowStated = setting.windowRecorded;
    this.#emit = setting.emit;
    this.tally = setting.tally;
    this.tally.sessions += 1;
    this.#verdicts = new Verdicts(this.tally, (event) => this.report(event));
  }

  /** Before a model call is sent. */
  protected abstract beforeCall(engine: Engine): Promise<void>;
  /** The provider's count for a call that was answered. */
  protected abstract usage(engine: Engine, step: Step<'usage'>, call: Call): Promise<void>;
  /** The recording made a pass by itself. */
  protected abstract compaction(engine: Engine, step: Step<'compaction'>): Promise<void>;
  protected entryAdded(_entry: TraceEntry, _line: number): void {}
  protected rewound(_length: number): void {}
  /** The recording is over; the engine stands as it left it. Not called where there was nothing to say to one. */
  protected async ended(_engine: Engine): Promise<void> {}

  async take(step: TraceStep): Promise<void> {
    this.#line = step.line;
    this.clock.reach(step.at);
    if (step.kind === 'entry') this.#entry(step.entry);
    if (step.kind === 'call') await this.#modelCall(step);
    if (step.kind === 'usage') await this.#usageRecord(step);
    if (step.kind === 'rewind') await this.#rewind(step.entries);
    if (step.kind === 'compaction') {
      this.tally.recordedCompactions += 1;
      this.tally.passed(step.cost);
      await this.#answerless();
      await this.compaction(await this.#open(), step);
    }
  }

  async end(): Promise<void> {
    if (this.#held.length > 0) await this.#open();
    await this.#answerless();
    if (this.#engine !== undefined) await this.ended(this.#engine);
    this.#engine?.free();
  }

  /** Whether calls were made and no time was recorded. */
  get untimed(): boolean {
    return this.#calls > 0 && !this.clock.timed;
  }

  protected get label(): string | undefined {
    return this.#setting.label;
  }

  protected get windowTokens(): number {
    return this.#window;
  }

  protected report(event: Placeless<ReplayEvent>): void {
    const { label } = this.#setting;
    const place: Place = { line: this.#line, call: this.#calls, at: this.clock.shown, ...(label === undefined ? {} : { session: label }) };
    this.#emit({ ...place, ...event });
  }

  /** A pass was made; its verdict comes later, if ever. */
  protected made(compactionId: string, about: Omit<PassReport, 'line' | 'session' | 'verdict'>): void {
    this.#verdicts.made(compactionId, { line: this.#line, ...(this.label === undefined ? {} : { session: this.label }), ...about, verdict: 'pending' });
  }

  /** Writes down the verdicts that the engine has given since it was last asked. */
  protected judge(engine: Engine): void {
    for (const { type, compactionId = '', verdict, promptTokens, estimated = false } of engine.drainEvents()) {
      if (type === 'verdict' && verdict !== undefined) this.#verdicts.given(compactionId, verdict, promptTokens, estimated);
    }
  }

  /** Whether `compact` is carried out each time, and so is worth saying each time. */
  protected readonly makesPasses: boolean = false;

  /** Writes an answer of the governor down where it differs from the one before. */
  protected answered(decision: Decision): void {
    if (this.counted(decision)) this.report({ type: 'decision', decision });
  }

  /** Counts an answer for the summary; false where it is the one before. */
  protected counted(decision: Decision): boolean {
    const answer = `${decision.action}/${decision.reason ?? decision.trigger ?? ''}`;
    const again = answer === this.#lastAnswer;
    if (again && !(decision.action === 'compact' && this.makesPasses)) return false;
    this.#lastAnswer = answer;
    if (decision.action === 'compact') this.tally.started += 1;
    this.tally.refused(decision, this.#line, this.label);
    return true;
  }

  /** A recorded prompt above the window proves the window wrong; the governor then goes on with a larger one. */
  protected windowLearned(tokens: number | null): void {
    if (tokens === null || tokens <= this.#window) return;
    this.tally.windowTokens = tokens;
    // A prompt that grows call by call would be said call by call.
    if (tokens < this.#windowSaid * WORTH_SAYING && this.#windowSaid > this.#window) return;
    this.#windowSaid = tokens;
    this.report({ type: 'window', windowTokens: tokens, source: 'learned', model: this.#model ?? null });
  }

  #entry(entry: TraceEntry): void {
    this.tally.entries += 1;
    if (this.#engine === undefined) this.#held.push(entry);
    else push(this.#engine, entry);
    this.entryAdded(entry, this.#line);
  }

  async #modelCall(step: Step<'call'>): Promise<void> {
    await this.#answerless();
    this.clock.tick();
    this.#calls += 1;
    this.tally.modelCalls += 1;
    const known = this.#model;
    this.#model = step.model ?? known;
    this.#windowStated = step.window ?? this.#windowStated;
    const engine = await this.#open();
    if (this.#model !== undefined && this.#model !== known) await engine.setModel(this.#model, this.clock.now);
    await engine.settle(this.clock.now);
    this.judge(engine);
    await this.beforeCall(engine);
    this.call = { line: step.line, viewRevision: engine.viewRevision(), sentAt: this.clock.now, entries: engine.entryCount(), answered: false };
  }

  async #usageRecord(step: Step<'usage'>): Promise<void> {
    this.tally.usageRecords += 1;
    const call = this.call;
    if (call === undefined || call.answered) return;
    call.answered = true;
    if (step.promptTokens === 0) {
      this.tally.usageWithoutFigure += 1;
      return;
    }
    this.tally.peak = Math.max(this.tally.peak, step.promptTokens);
    const engine = await this.#open();
    await this.usage(engine, step, call);
    this.judge(engine);
  }

  /** A call whose answer came without any usage: the governor then goes by its estimate. */
  async #answerless(): Promise<void> {
    const call = this.call;
    this.call = undefined;
    if (call === undefined || call.answered || this.#engine === undefined) return;
    await this.#engine.stepWithoutUsage(call.viewRevision, this.clock.now);
    this.judge(this.#engine);
  }

  async #rewind(length: number): Promise<void> {
    await this.#answerless();
    const before = this.#engine?.entryCount() ?? this.#held.length;
    if (length < before) this.report({ type: 'rewind', entries: length, dropped: before - length });
    this.#held.length = Math.min(this.#held.length, length);
    this.#engine?.truncate(length);
    this.rewound(length);
  }

  /** The window must be stated before the session opens, and is often known only from the model of the first call. */
  async #open(): Promise<Engine> {
    if (this.#engine !== undefined) return this.#engine;
    const { id, format, windowOption, model, newEngine } = this.#setting;
    const window = windowFor({ option: windowOption, recorded: this.#windowStated, format, model: this.#model ?? model });
    const engine = newEngine(id, window.tokens);
    await engine.open(this.clock.now);
    for (const entry of this.#held) push(engine, entry);
    this.#engine = engine;
    this.#held = [];
    this.#window = window.tokens;
    this.tally.windowTokens = window.tokens;
    this.report({ type: 'window', windowTokens: window.tokens, source: window.source, model: this.#model ?? model ?? null });
    return engine;
  }
}

function push(engine: Engine, entry: TraceEntry): void {
  const [high, low] = entry.idHash;
  engine.push(high, low, entry.role, entry.flags, entry.tokens, entry.group, Math.min(entry.calls, MOST_CALLS), Math.min(entry.bytes + entry.mediaBytes, MOST_BYTES));
}

/** A window that was learned is said again once it is a tenth larger. */
const WORTH_SAYING = 1.1;
/** The engine counts calls in a byte. */
const MOST_CALLS = 255;
/** `u32::MAX`. */
const MOST_BYTES = 0xffff_ffff;
