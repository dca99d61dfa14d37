// Conversations that are lists of messages, whatever the format of one: a list, a list of such lists (runs), one message a
// line, or whole requests with their responses, each of which repeats the conversation so far or names the answer before.

import { type Fields, fields, instant, isFields, list, text } from '../json.js';
import { Flag, Role, type Cost, type TraceReader, type TraceStep } from '../trace.js';
import { type Draft, Entries, hash } from './entries.js';
import { type Counted, exchangeOf, isConversation, type Exchange, type Shape, type Usage } from './shape.js';
import { isSummary } from './summaries.js';
import { rough } from '../../text/rough.js';

export class MessagesReader implements TraceReader {
  readonly #shape: Shape;
  #entries = new Entries();
  /** What the model was sent last, to see what a next request adds. */
  #sent: Sent[] = [];
  /** How much of what was sent stood when an answer came, by the name that requests give it. */
  #answers = new Map<string, number>();
  #answerLast = false;
  #begun = false;
  #ordinal = 0;

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  *record(value: unknown, line: number): Iterable<TraceStep> {
    if (!isFields(value) || Array.isArray(value['interactions'])) yield* this.document(value);
    else yield* this.#one(value, line, undefined);
  }

  *document(value: unknown): Iterable<TraceStep> {
    const interactions = fields(value)['interactions'];
    if (Array.isArray(value)) yield* this.#members(value);
    else if (Array.isArray(interactions)) yield* this.#members(interactions);
    else if (isFields(value)) yield* this.#one(value, undefined, undefined);
    else yield { kind: 'unreadable', line: this.#next(undefined), reason: 'not an object' };
  }

  *end(): Iterable<TraceStep> {}

  *#members(values: readonly unknown[]): Iterable<TraceStep> {
    if (isConversation(this.#shape, values)) return yield* this.#conversation(values, { label: undefined });
    let run = 0;
    for (const value of values) {
      run += 1;
      if (isConversation(this.#shape, value)) yield* this.#conversation(list(value), { label: `run ${run}` });
      else if (isFields(value)) yield* this.#one(value, undefined, `run ${run}`);
      else yield { kind: 'unreadable', line: this.#next(undefined), reason: 'neither messages nor a request' };
    }
  }

  *#one(value: Fields, line: number | undefined, label: string | undefined): Iterable<TraceStep> {
    const exchange = exchangeOf(this.#shape, value);
    const response = exchange?.response ?? {};
    const at = instant(value['timestamp'] ?? response['created'] ?? value['created_at'] ?? response['created_at']);
    if (exchange === undefined) {
      if (!this.#begun) yield* this.#begin({ line: line ?? 1, at });
      yield* this.#message(value, line, at);
    } else if (exchange.response !== undefined) {
      yield* this.#exchange(exchange, exchange.response, { line, at });
    } else {
      yield* this.#conversation(exchange.messages, { label: label ?? (line === undefined ? undefined : `line ${line}`), window: exchange.window, line, at });
    }
  }

  /** A conversation that is complete in itself: each answer in it was a model call. */
  *#conversation(messages: readonly unknown[], about: Beginning & { line?: number | undefined }): Iterable<TraceStep> {
    this.#ordinal = 0;
    yield* this.#begin({ ...about, line: about.line ?? 1 });
    for (const message of messages) yield* this.#message(message, about.line, about.at);
  }

  *#message(message: unknown, given: number | undefined, at: number | undefined): Iterable<TraceStep> {
    const line = this.#next(given);
    if (!this.#shape.isMessage(message)) {
      yield { kind: 'unreadable', line, reason: 'not a message' };
      return;
    }
    const when = instant(message['timestamp'] ?? message['created_at'] ?? message['createdAt']) ?? at;
    const drafts = this.#shape.drafts(message);
    if (drafts.some((draft) => draft.role === Role.assistant)) {
      yield* this.#answered(drafts, this.#shape.usage(message), { line, at: when, source: message }, text(message['model']) || undefined);
    } else {
      yield* this.#add(drafts, { line, at: when, source: message });
    }
  }

  /** A model call and its answer; a summary in front of the answer's words was there before them. */
  *#answered(drafts: readonly Draft[], counted: Counted | undefined, place: Place, model: string | undefined): Iterable<TraceStep> {
    const spoken = drafts.findIndex((draft) => draft.compacts === undefined);
    yield* this.#add(spoken === -1 ? drafts : drafts.slice(0, spoken), place, counted?.pass);
    if (spoken === -1) return;
    yield* this.#called(counted, place, model);
    yield* this.#add(drafts.slice(spoken), place);
  }

  *#called(counted: Counted | undefined, { line, at }: Place, model: string | undefined): Iterable<TraceStep> {
    yield { kind: 'call', line, at, model };
    if (counted !== undefined) yield { kind: 'usage', line, at, promptTokens: counted.promptTokens, outputTokens: counted.outputTokens };
  }

  *#add(drafts: readonly Draft[], place: Place, pass?: Usage): Iterable<TraceStep> {
    const { line, at, source } = place;
    for (const draft of drafts) {
      if (draft.compacts === undefined) yield { kind: 'entry', line, at, entry: this.#entries.add(draft, source) };
      else yield this.#compaction(draft, place, pass && { ...pass, separate: false });
    }
  }

  #compaction({ compacts = 0 }: Draft, { line, at }: Place, cost: Cost | undefined): TraceStep {
    const summaryTokens = cost?.separate === true ? cost.outputTokens : rough(compacts);
    return { kind: 'compaction', line, at, coversEntries: this.#entries.count, summaryTokens, tokensBefore: cost?.promptTokens, cost };
  }

  /** One request and its response. The request repeats what was sent before; only what it adds is new. */
  *#exchange(exchange: Exchange, response: Fields, about: { line: number | undefined; at: number | undefined }): Iterable<TraceStep> {
    const messages = exchange.messages.filter((one): one is Fields => this.#shape.isMessage(one)).map((message) => this.#read(message));
    yield* this.#replaced(messages, { line: about.line ?? this.#ordinal + 1, at: about.at });
    const { kept, fresh } = this.#shared(messages, exchange.previous);
    const goesOn = this.#begun && kept > 0;
    if (!goesOn) yield* this.#begin({ line: about.line ?? this.#ordinal + 1, at: about.at, window: exchange.window, model: modelOf(response) });
    const place = { line: this.#next(about.line), at: about.at };
    if (goesOn) yield* this.#back(kept, place);
    for (const message of goesOn ? fresh : messages) yield* this.#send(message, place);
    this.#answerLast = false;
    yield* this.#respond(response, place);
    if (typeof exchange.id === 'string') this.#answers.set(exchange.id, this.#sent.length);
  }

  *#respond(response: Fields, place: Place): Iterable<TraceStep> {
    const counted = this.#shape.usage(response);
    const answers = this.#shape.answer(response).filter((one): one is Fields => this.#shape.isMessage(one)).map((message) => this.#read(message));
    if (this.#shape.isPass?.(response) === true) return yield* this.#passed(answers, counted, place);
    const model = modelOf(response);
    if (answers.length === 0) yield* this.#called(counted, place, model);
    for (const [index, { drafts, key }] of answers.entries()) {
      if (index === 0) yield* this.#answered(drafts, counted, place, model);
      else yield* this.#add(drafts, place);
      this.#sent.push({ key, entries: this.#entries.count });
    }
    this.#answerLast = answers.length > 0;
  }

  /** The host asked for a compaction by itself; what the answer repeats of the conversation is known already. */
  *#passed(answers: readonly Read[], counted: Counted | undefined, place: Place): Iterable<TraceStep> {
    const summary = answers.flatMap(({ drafts }) => drafts).find((draft) => draft.compacts !== undefined);
    if (summary === undefined) return;
    yield this.#compaction(summary, place, counted && { promptTokens: counted.promptTokens, outputTokens: counted.outputTokens, separate: true });
    this.#sent.push({ key: keyOf([summary]), entries: this.#entries.count });
  }

  /** A host that compacts by itself sends a summary in the place of what was there, and goes on with the rest of it. */
  *#replaced(messages: readonly Read[], place: Place): Iterable<TraceStep> {
    const differs = messages.findIndex(({ key }, index) => key !== this.#sent[index]?.key);
    const summary = messages[differs];
    if (!this.#begun || differs >= this.#sent.length || summary === undefined || !summary.drafts.some(isHostSummary)) return;
    const rest = messages[differs + 1]?.key;
    const found = this.#sent.findIndex(({ key }, index) => index >= differs && key === rest);
    if (found === -1 && differs === 0) return;
    const kept = found === -1 ? this.#sent.length : found;
    const entries = this.#sent[kept - 1]?.entries ?? 0;
    const bytes = summary.drafts.flatMap(({ texts }) => texts).reduce((sum, one) => sum + Buffer.byteLength(one), 0);
    this.#sent = [...this.#sent.slice(0, differs), { key: summary.key, entries }, ...this.#sent.slice(kept)];
    yield { kind: 'compaction', ...place, coversEntries: entries, summaryTokens: rough(bytes) };
  }

  *#send(message: Read, place: Place): Iterable<TraceStep> {
    yield* this.#add(message.drafts, place);
    this.#sent.push({ key: message.key, entries: this.#entries.count });
  }

  *#back(kept: number, place: Place): Iterable<TraceStep> {
    if (kept === this.#sent.length) return;
    const entries = this.#sent[kept - 1]?.entries ?? 0;
    this.#sent.length = kept;
    if (entries === this.#entries.count) return;
    this.#entries.rewind(entries);
    yield { kind: 'rewind', ...place, entries };
  }

  /** How much of what was sent stands, and which messages are new. */
  #shared(messages: readonly Read[], previous: unknown): { kept: number; fresh: readonly Read[] } {
    const chained = typeof previous === 'string' ? this.#answers.get(previous) : undefined;
    if (chained !== undefined) return { kept: Math.min(chained, this.#sent.length), fresh: messages };
    const first = messages[0];
    const compacted = first !== undefined && first.drafts.some((draft) => draft.compacts !== undefined);
    const base = compacted ? Math.max(0, this.#sent.map(({ key }) => key).lastIndexOf(first.key)) : 0;
    this.#mend(messages, base);
    const differs = messages.findIndex(({ key }, index) => key !== this.#sent[base + index]?.key);
    const shared = differs === -1 ? messages.length : differs;
    const same = messages.slice(0, shared).some(({ drafts }) => drafts.some((draft) => draft.role !== Role.system));
    return { kept: same ? base + shared : 0, fresh: messages.slice(shared) };
  }

  /** The last answer may have come back in other words, its calls under other names: hosts trim and mend it. */
  #mend(messages: readonly Read[], base: number): void {
    const last = this.#sent.length - 1;
    const sent = this.#sent[last];
    const answer = messages[last - base];
    if (!this.#answerLast || sent === undefined || answer?.drafts[0]?.role !== Role.assistant) return;
    sent.key = answer.key;
    this.#entries.renamed(answer.drafts.flatMap(({ calls = [] }) => calls), sent.entries - 1);
  }

  #read(message: Fields): Read {
    const drafts = this.#shape.drafts(message);
    return { drafts, key: keyOf(drafts) };
  }

  *#begin(session: Beginning & { line: number }): Iterable<TraceStep> {
    this.#begun = true;
    this.#entries = new Entries();
    this.#sent = [];
    this.#answers.clear();
    this.#answerLast = false;
    yield { kind: 'session', ...session };
  }

  /** In a document there are no lines to name; messages and requests are counted instead. */
  #next(line: number | undefined): number {
    this.#ordinal += 1;
    return line ?? this.#ordinal;
  }
}

interface Read {
  drafts: readonly Draft[];
  key: string;
}

/** A message that was sent, and how many entries stood behind it. */
interface Sent {
  key: string;
  entries: number;
}

interface Place {
  line: number;
  at: number | undefined;
  /** The message itself, where it stands once in the file; requests repeat theirs. */
  source?: Fields;
}

interface Beginning {
  at?: number | undefined;
  label?: string | undefined;
  window?: number | undefined;
  model?: string | undefined;
}

function modelOf(response: Fields): string | undefined {
  return text(response['model'] ?? response['modelVersion']) || undefined;
}

function isHostSummary({ role, flags = 0, texts }: Draft): boolean {
  return (flags & Flag.hostSummary) !== 0 || (role !== Role.tool && isSummary(texts));
}

function keyOf(drafts: readonly Draft[]): string {
  return drafts.map((draft) => hash(draft).join('.')).join(' ');
}
