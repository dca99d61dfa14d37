// aider's chat history: Markdown for people, many chats in one file. What a person wrote is on lines that begin with four
// hashes, what aider said itself on quoted lines, and what is left is the model's.

import { instant, tokens } from '../../json.js';
import { Role, type TraceReader, type TraceStep } from '../../trace.js';
import { blankAnswer, Entries } from '../entries.js';
import type { Usage } from '../shape.js';
import { HeldCall, type Place } from './held-call.js';

/** Whether a line can only come from aider. */
export function isAider(line: string): boolean {
  return STARTED.test(line) || /^> Aider v\d/.test(line);
}

export class AiderReader implements TraceReader {
  #entries = new Entries();
  #chats = 0;
  #begun = false;
  #clock: number | undefined;
  #model: string | undefined;
  #asked: string[] = [];
  /** Whether what stands free of marks now answers a person. */
  #answering = false;
  #held: HeldCall | undefined;

  *record(value: unknown, line: number): Iterable<TraceStep> {
    const said = typeof value === 'string' ? value.trimEnd() : '';
    const place = { line, at: this.#clock };
    const started = STARTED.exec(said);
    if (started !== null) yield* this.#chat(started, place);
    else if (said.startsWith('#### ') || said === '####') yield* this.#person(said.slice(5));
    else if (said.startsWith('>')) yield* this.#aider(said, place);
    else yield* this.#free(said, place);
  }

  *end(): Iterable<TraceStep> {
    yield* this.#asking({ line: 0, at: this.#clock });
    yield* this.#settle();
  }

  *#chat([, day = '', time = '']: RegExpExecArray, place: Place): Iterable<TraceStep> {
    yield* this.end();
    this.#entries = new Entries();
    this.#begun = false;
    this.#answering = false;
    this.#model = undefined;
    this.#clock = instant(`${day}T${time}Z`) ?? place.at;
  }

  *#person(said: string): Iterable<TraceStep> {
    yield* this.#settle();
    if (this.#asked.length === 0 && isCommand(said)) this.#answering = false;
    else this.#asked.push(said);
  }

  *#aider(said: string, place: Place): Iterable<TraceStep> {
    yield* this.#asking(place);
    this.#model = /^> (?:Main model|Model):? (\S+)/.exec(said)?.[1] ?? this.#model;
    const usage = /^> Tokens: ([\d.,]+[kM]?) sent\b.*?([\d.,]+[kM]?) received/.exec(said);
    if (usage === null) return;
    const counted = { promptTokens: count(usage[1]), outputTokens: count(usage[2]) };
    if (this.#held !== undefined && !this.#held.over) this.#held.count(counted, place);
    else yield* this.#wordless(counted, place);
  }

  /** An answer whose words were not written down. */
  *#wordless(counted: Usage, place: Place): Iterable<TraceStep> {
    yield* this.#settle();
    this.#held = new HeldCall(blankAnswer(), place, { model: this.#model });
    this.#held.count(counted, place);
  }

  *#free(said: string, place: Place): Iterable<TraceStep> {
    yield* this.#asking(place);
    if (!this.#answering) return;
    if (said !== '' && this.#held?.over === true) yield* this.#settle();
    if (said !== '') this.#held ??= new HeldCall(blankAnswer(), place, { model: this.#model });
    if (this.#held?.over === false) this.#held.answer.texts.push(`${said}\n`);
  }

  /** What a person wrote is over with the first line that is not theirs. */
  *#asking(place: Place): Iterable<TraceStep> {
    if (this.#asked.length === 0) return;
    const texts = [this.#asked.join('\n')];
    this.#asked = [];
    this.#answering = true;
    yield* this.#begin(place);
    yield { kind: 'entry', ...place, line: Math.max(1, place.line - 1), entry: this.#entries.add({ role: Role.user, texts }) };
  }

  *#settle(): Iterable<TraceStep> {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    yield* this.#begin(held.place);
    yield* held.settle(this.#entries);
  }

  *#begin(place: Place): Iterable<TraceStep> {
    if (!this.#begun) yield { kind: 'session', ...place, label: `chat ${(this.#chats += 1)}` };
    this.#begun = true;
  }
}

/** Commands that aider carries out by itself; the others hand their words to the model. */
function isCommand(said: string): boolean {
  return said.startsWith('/') && !/^\/(?:ask|code|architect|context|help|chat-mode|web)\b/.test(said);
}

/** "5,244", "12k" and "1.2M" as aider writes them. */
function count(given = ''): number {
  const factor = given.endsWith('k') ? 1_000 : given.endsWith('M') ? 1_000_000 : 1;
  return tokens(Math.round(Number.parseFloat(given.replaceAll(',', '')) * factor));
}

const STARTED = /^# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/;
