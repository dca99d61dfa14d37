// OpenHands evaluation output: one run a line, its history a list of events. Several actions may come from one answer of
// the model; sums of usage stand beside the usage of each call.

import { type Fields, fields, instant, isFields, list, text, tokens, written } from '../../json.js';
import { Flag, Role, type TraceReader, type TraceStep } from '../../trace.js';
import { blankAnswer, type Draft, Entries } from '../entries.js';
import type { Usage } from '../shape.js';
import { HeldCall, type Place } from './held-call.js';

/** Whether a record is a run of OpenHands. */
export function isOpenHands(record: Fields): boolean {
  const [first] = list(record['history']);
  const event = fields(Array.isArray(first) ? first[0] : first);
  return typeof record['instance_id'] === 'string' && ('action' in event || 'observation' in event) && typeof event['source'] === 'string';
}

export class OpenHandsReader implements TraceReader {
  #runs = 0;

  *record(value: unknown, line: number): Iterable<TraceStep> {
    if (!isFields(value)) {
      yield { kind: 'unreadable', line, reason: 'not an object' };
      return;
    }
    this.#runs += 1;
    const run = new Run(usageOf(value));
    yield { kind: 'session', line, label: `run ${this.#runs}`, at: undefined };
    // Older files pair each action with its observation.
    for (const event of list(value['history']).flatMap((one) => (Array.isArray(one) ? one : [one]))) {
      const about = fields(event);
      yield* run.event(about, { line, at: instant(about['timestamp']) });
    }
    yield* run.settle();
  }

  *end(): Iterable<TraceStep> {}
}

class Run {
  readonly #entries = new Entries();
  readonly #usage: ReadonlyMap<string, Usage>;
  #held: { id: string; call: HeldCall } | undefined;

  constructor(usage: ReadonlyMap<string, Usage>) {
    this.#usage = usage;
  }

  *event(event: Fields, place: Place): Iterable<TraceStep> {
    if (typeof event['observation'] === 'string') yield* this.#observation(event, place);
    else if (event['action'] === 'system') yield* this.#input({ role: Role.system, texts: [text(fields(event['args'])['content'])] }, place);
    else if (event['source'] === 'agent') yield* this.#action(event, place);
    else if (event['action'] === 'message') yield* this.#input({ role: Role.user, texts: [text(fields(event['args'])['content'])] }, place);
  }

  *settle(): Iterable<TraceStep> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) yield* held.call.settle(this.#entries);
  }

  *#input(draft: Draft, place: Place): Iterable<TraceStep> {
    yield* this.settle();
    yield { kind: 'entry', ...place, entry: this.#entries.add(draft) };
  }

  *#action(event: Fields, place: Place): Iterable<TraceStep> {
    const about = fields(event['tool_call_metadata']);
    const response = fields(about['model_response']);
    const id = text(response['id']) || `action ${String(event['id'])}`;
    if (this.#held?.id !== id) {
      yield* this.settle();
      const call = new HeldCall(blankAnswer(), place, { model: text(response['model']) || undefined });
      const usage = this.#usage.get(id) ?? (isFields(response['usage']) ? countedBy(response['usage']) : undefined);
      if (usage !== undefined) call.count(usage, place);
      this.#held = { id, call };
    }
    const { thought, ...args } = fields(event['args']);
    this.#held.call.answer.texts.push(text(thought), text(about['function_name']), written(args));
    if (typeof about['tool_call_id'] === 'string') this.#held.call.answer.calls.push(about['tool_call_id']);
  }

  *#observation(event: Fields, place: Place): Iterable<TraceStep> {
    const answers = fields(event['tool_call_metadata'])['tool_call_id'];
    const draft: Draft = { role: Role.tool, texts: [text(event['content']), ...recalled(fields(event['extras']))], ...(typeof answers === 'string' ? { answers } : {}) };
    if (typeof answers === 'string' && this.#held !== undefined) return this.#held.call.result(draft, place);
    yield* this.#input(typeof answers === 'string' ? draft : { ...draft, role: Role.user, flags: Flag.synthetic }, place);
  }
}

/** What was put before the model from memory: instructions of the repository and of small agents. */
function recalled(extras: Fields): string[] {
  return [text(extras['repo_instructions']), ...list(extras['microagent_knowledge']).map((one) => text(fields(one)['content']))];
}

/** The usage of each call by the id of its answer; `accumulated_token_usage` is a sum, and no prompt. */
function usageOf(record: Fields): ReadonlyMap<string, Usage> {
  const records = list(fields(record['metrics'])['token_usages']).map(fields);
  return new Map(records.filter((one) => text(one['response_id']) !== '').map((one) => [text(one['response_id']), countedBy(one)]));
}

function countedBy(usage: Fields): Usage {
  return { promptTokens: tokens(usage['prompt_tokens']), outputTokens: tokens(usage['completion_tokens']) };
}
