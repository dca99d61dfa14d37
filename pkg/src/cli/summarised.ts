// Summarising: whole compactions through the package's public session, as a host would make them. The recording gives the
// messages and the figures; a scripted summariser answers the requests; views are told by their sizes.

import { Baseline } from './baseline.js';
import { Clock } from './clock.js';
import type { Decision } from './engine.js';
import type { Emit, Place, Placeless, ReplayEvent } from './events.js';
import { Fit, OVERFLOW_TRIES } from './fit.js';
import type { ChatMessage, NewSession, SummaryRequest } from './session.js';
import { scriptedSummary } from './summariser.js';
import type { Session, Step } from '../surface.js';
import type { Tally } from './tally.js';
import { Role, type TraceEntry, type TraceStep } from './trace.js';
import { Verdicts } from './verdicts.js';
import { windowFor } from './window.js';
import { rough } from '../text/rough.js';

type Of<K extends TraceStep['kind']> = Extract<TraceStep, { kind: K }>;

export interface Setting {
  id: string;
  label: string | undefined;
  format: string;
  windowOption: number | undefined;
  windowRecorded: number | undefined;
  /** The first call's, where the recording says it before. */
  model: string | undefined;
  newSession: NewSession;
  tally: Tally;
  emit: Emit;
}

export class Summarised {
  readonly #setting: Setting;
  readonly #tally: Tally;
  readonly #clock = new Clock();
  readonly #baseline = new Baseline();
  readonly #messages: ChatMessage[] = [];
  readonly #fit: Fit;
  readonly #verdicts: Verdicts;
  #session: Session | undefined;
  #window = 0;
  #calls = 0;
  #line = 0;
  #model: string | undefined;
  #windowStated: number | undefined;
  #lastAnswer = '';
  /** What the last summary cost. */
  #spent = 0;
  #call: { step: Step; entries: number; answered: boolean } | undefined;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#windowStated = setting.windowRecorded;
    this.#model = setting.model;
    this.#tally = setting.tally;
    this.#tally.sessions += 1;
    const report = (event: Placeless<ReplayEvent>): void => this.#report(event);
    this.#fit = new Fit(this.#baseline, this.#tally, report);
    this.#verdicts = new Verdicts(this.#tally, report);
  }

  async take(step: TraceStep): Promise<void> {
    this.#line = step.line;
    this.#clock.reach(step.at);
    if (step.kind === 'entry') this.#entry(step.entry);
    if (step.kind === 'call') await this.#modelCall(step);
    if (step.kind === 'usage') await this.#usage(step);
    if (step.kind === 'rewind') this.#rewind(step.entries);
    if (step.kind === 'compaction') this.#compaction(step);
  }

  async end(): Promise<void> {
    await this.#answerless();
    await this.#session?.close();
  }

  /** Whether calls were made and no time was recorded. */
  get untimed(): boolean {
    return this.#calls > 0 && !this.#clock.timed;
  }

  #entry(entry: TraceEntry): void {
    this.#tally.entries += 1;
    this.#messages.push(asMessage(entry));
    this.#baseline.add(entry);
  }

  async #modelCall(step: Of<'call'>): Promise<void> {
    await this.#answerless();
    this.#clock.tick();
    this.#calls += 1;
    this.#tally.modelCalls += 1;
    this.#model = step.model ?? this.#model;
    this.#windowStated = step.window ?? this.#windowStated;
    this.#call = { step: await this.#prepare(this.#open()), entries: this.#messages.length, answered: false };
  }

  async #prepare(session: Session): Promise<Step> {
    session.advanced.observe(this.#messages);
    const decision = session.explain();
    const newest = session.history().at(-1)?.compactionId;
    const step = await session.prepare(this.#messages, this.#model === undefined ? {} : { model: this.#model });
    this.#answered(decision, step);
    if (step.compacted) this.#passed(session, step, decision, newest);
    return step;
  }

  /** A refusal is counted where it begins, a pass each time. The plan may refuse what the guards let through. */
  #answered(before: Decision, { compacted, decision: after }: Step): void {
    const decision: Decision = before.action === 'compact' && !compacted ? after : before;
    const answer = `${decision.action}/${decision.reason ?? ''}`;
    const again = answer === this.#lastAnswer;
    this.#lastAnswer = answer;
    if (compacted) this.#tally.started += 1;
    else if (!again) this.#tally.refused(decision, this.#line, this.#setting.label);
  }

  /** Old results may have been cleared instead: then the newest summary is the one that was there before. */
  #passed(session: Session, step: Step, decision: Decision, newest: string | undefined): void {
    const made = session.history().at(-1);
    if (made === undefined || made.compactionId === newest || made.summary === '') return this.#cleared(step, decision);
    const { compactionId, coversEntries, beforeTokens, afterTokens = null, summary } = made;
    const summaryTokens = rough(Buffer.byteLength(summary));
    this.#report({ type: 'compaction', by: 'governor', decision, entries: this.#messages.length, coversEntries, beforeTokens, summaryTokens, trigger: null });
    this.#report({ type: 'view', ...this.#sizes(step), stablePrefix: step.stablePrefix });
    this.#verdicts.made(compactionId, { line: this.#line, ...this.#labelled(), by: 'governor', beforeTokens, afterTokens, verdict: 'pending', spentTokens: this.#spent });
  }

  #cleared(step: Step, decision: Decision): void {
    this.#fit.cleared(decision, Math.max(0, (decision.usedTokens ?? 0) - (step.decision.usedTokens ?? 0)));
    this.#report({ type: 'view', ...this.#sizes(step), stablePrefix: step.stablePrefix });
  }

  #sizes({ messages }: Step): { messages: number; keptMessages: number; bytes: number; summaryBytes: number } {
    const own = new Set(this.#messages);
    const kept = messages.filter((message) => own.has(message));
    const bytes = bytesOf(messages);
    return { messages: messages.length, keptMessages: kept.length, bytes, summaryBytes: bytes - bytesOf(kept) };
  }

  async #usage(step: Of<'usage'>): Promise<void> {
    this.#tally.usageRecords += 1;
    const call = this.#call;
    if (call === undefined || call.answered) return;
    call.answered = true;
    if (step.promptTokens === 0) {
      this.#tally.usageWithoutFigure += 1;
      return;
    }
    this.#tally.peak = Math.max(this.#tally.peak, step.promptTokens);
    this.#baseline.prompt(step.promptTokens, call.entries);
    if (this.#fit.isHopeless(this.#window, () => this.#prompt(call.step, call.entries))) return;
    await this.#answer(this.#open(), call.step, call.entries);
  }

  /** A provider refuses a prompt above its window; a host then prepares the call anew as long as that is of use. */
  async #answer(session: Session, prepared: Step, entries: number): Promise<void> {
    let step = prepared;
    let promptTokens = this.#prompt(step, entries);
    for (let tries = 0; promptTokens > this.#window; tries += 1) {
      const then = await step.failed(refusal(promptTokens, this.#window));
      const gaveUp = then === 'rethrow' || tries === OVERFLOW_TRIES;
      this.#fit.refused(promptTokens, this.#window, gaveUp);
      if (gaveUp) return;
      step = await this.#prepare(session);
      promptTokens = this.#prompt(step, entries);
    }
    this.#fit.sent(promptTokens);
    await step.done({ promptTokens });
  }

  /** What the recording weighs of the messages that a view kept, and what was put in the place of the others. */
  #prompt({ messages }: Step, entries: number): number {
    const places = new Map(this.#messages.map((message, index) => [message, index]));
    const view: number[] = [];
    let others = 0;
    for (const message of messages) {
      const place = places.get(message);
      if (place === undefined) others += bytesOf([message]);
      else view.push(VERBATIM, place, place + 1);
    }
    return this.#baseline.of(Uint32Array.of(...view, SUMMARY, 0, 0), entries, rough(others));
  }

  /** A call whose answer came without any usage. */
  async #answerless(): Promise<void> {
    const call = this.#call;
    this.#call = undefined;
    if (call !== undefined && !call.answered) await call.step.done({});
  }

  #rewind(length: number): void {
    const dropped = this.#messages.length - length;
    if (dropped > 0) this.#report({ type: 'rewind', entries: length, dropped });
    this.#messages.length = Math.min(this.#messages.length, length);
    this.#baseline.rewind(length);
  }

  #compaction(step: Of<'compaction'>): void {
    this.#tally.recordedCompactions += 1;
    this.#tally.passed(step.cost);
    this.#fit.leftOut(step.tokensBefore);
  }

  #open(): Session {
    if (this.#session !== undefined) return this.#session;
    const { id, format, windowOption, newSession } = this.#setting;
    const window = windowFor({ option: windowOption, recorded: this.#windowStated, format, model: this.#model });
    const session = newSession({ id, windowTokens: window.tokens, summarize: (request) => this.#summarise(request) });
    session.on((event) => {
      if (event.type === 'compaction' && event.status === 'failed') this.#report({ type: 'failed', code: event.failure ?? 'unknown', message: 'the conversation stands as it was' });
      if (event.type === 'verdict') this.#verdicts.given(event.compactionId, event.verdict, event.promptTokens, event.estimated);
    });
    this.#session = session;
    this.#window = window.tokens;
    this.#tally.windowTokens = window.tokens;
    this.#report({ type: 'window', windowTokens: window.tokens, source: window.source, model: this.#model ?? null });
    return session;
  }

  /** The scripted summariser, with the reply of a provider around its words. */
  async #summarise({ messages, maxTokens }: SummaryRequest): Promise<unknown> {
    const prompt_tokens = rough(bytesOf(messages));
    const content = scriptedSummary(prompt_tokens, maxTokens);
    const completion_tokens = rough(content.length);
    this.#spent = prompt_tokens + completion_tokens;
    return { choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }], usage: { prompt_tokens, completion_tokens } };
  }

  #labelled(): { session?: string } {
    const { label } = this.#setting;
    return label === undefined ? {} : { session: label };
  }

  #report(event: Placeless<ReplayEvent>): void {
    const place: Place = { line: this.#line, call: this.#calls, at: this.#clock.shown, ...this.#labelled() };
    this.#setting.emit({ ...place, ...event });
  }
}

/** The entry as an OpenAI chat message: its texts already hold the names and arguments of its calls. */
function asMessage({ role, said: { texts, calls, answers } }: TraceEntry): ChatMessage {
  const content = texts.join('\n');
  if (role === Role.tool && answers !== undefined) return { role: 'tool', tool_call_id: answers, content };
  if (calls.length === 0) return { role: role === Role.tool ? 'user' : ROLES[role], content };
  return { role: 'assistant', content, tool_calls: calls.map((id) => ({ id, type: 'function', function: { name: 'tool', arguments: '{}' } })) };
}

function bytesOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + Buffer.byteLength(typeof content === 'string' ? content : (JSON.stringify(content) ?? '')), 0);
}

/** As OpenAI words it. */
function refusal(prompt: number, window: number): object {
  const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${prompt} tokens.`;
  return Object.assign(new Error(message), { status: 400, code: 'context_length_exceeded' });
}

const ROLES = ['system', 'user', 'assistant', 'tool'] as const;
/** The kinds of a view's parts. */
const VERBATIM = 0;
const SUMMARY = 1;
