// SWE-agent trajectories (.traj): `history` is the conversation, once; `trajectory` repeats all of it at every step.

import { type Fields, fields, isFields, list } from '../../json.js';
import { Flag, Role, type TraceReader, type TraceStep } from '../../trace.js';
import { type Draft, Entries } from '../entries.js';
import { isChatMessage, readChatMessage } from '../shapes/openai-chat.js';

/** Whether a value is a trajectory of SWE-agent. */
export function isSweAgent(value: Fields): boolean {
  return Array.isArray(value['trajectory']) && Array.isArray(value['history']);
}

export class SweAgentReader implements TraceReader {
  *record(value: unknown, line: number): Iterable<TraceStep> {
    yield* this.#trajectory(value, `line ${line}`);
  }

  *document(value: unknown): Iterable<TraceStep> {
    yield* this.#trajectory(value, undefined);
  }

  *end(): Iterable<TraceStep> {}

  *#trajectory(value: unknown, label: string | undefined): Iterable<TraceStep> {
    const entries = new Entries();
    let others = 0;
    let answered = false;
    yield { kind: 'session', line: 1, label };
    for (const [index, message] of list(fields(value)['history']).entries()) {
      const line = index + 1;
      if (!isFields(message) || !isChatMessage(message)) {
        yield { kind: 'unreadable', line, reason: 'not a message' };
        continue;
      }
      others += Number(!isMain(message));
      if (!isMain(message)) continue;
      if (message['role'] === 'assistant') yield { kind: 'call', line };
      yield { kind: 'entry', line, entry: entries.add(readMessage(message, answered)) };
      answered ||= message['role'] === 'assistant';
    }
    if (others > 0) yield { kind: 'note', line: 0, text: `left out ${others} messages of other agents: they have windows of their own` };
  }
}

function isMain(message: Fields): boolean {
  return message['agent'] === undefined || message['agent'] === 'main' || message['agent'] === 'primary';
}

/** What the shell said comes in the user's name where the model has no tools. */
function readMessage(message: Fields, answered: boolean): Draft {
  const draft = readChatMessage(message);
  const [answers] = list(message['tool_call_ids']);
  if (typeof answers === 'string') return { ...draft, answers };
  const observed = draft.role === Role.user && (answered || message['is_demo'] === true);
  return observed ? { ...draft, flags: Flag.synthetic } : draft;
}
