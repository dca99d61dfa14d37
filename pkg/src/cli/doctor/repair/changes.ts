// What mends a conversation, decided by the core, as changes to places of its file.

import type { Fields } from '../../json.js';
import { Action, repairsOf } from '../../../session/repair.js';
import { joinedOf, LONE_SURROGATE } from '../../../session/joined.js';
import type { Engine } from '../../engine.js';
import { UNNAMED_CALL } from '../../read/shapes/sharegpt.js';
import { Flag, type TraceEntry } from '../../trace.js';

/** Where an entry is kept, and what ties it to others. */
export interface Kept {
  line: number;
  /** The message of the document, where it is in one. */
  source: Fields | undefined;
  calls: readonly string[];
  answers: string | undefined;
  /** Whether it holds anything that can be stripped: minified code is heavy as well, and stays. */
  media: boolean;
  /** Of a summary alone: what it says. */
  summary: string;
}

/** `merge` is the other end of `collapse`: the newest summary, which then says what all of them said. */
export interface Change {
  action: 'collapse' | 'merge' | 'drop' | 'close' | 'strip';
  line: number;
  source: Fields | undefined;
  /** `drop`: the call that the result was for. */
  answers: string | undefined;
  /** `close`: the calls that never got a result. */
  calls: readonly string[];
  /** `collapse`: where the summary stands that stays. */
  into: number | undefined;
  /** `merge`: what it says now. */
  text: string;
}

export function keptOf({ flags, mediaBytes, said: { texts, source, calls, answers } }: TraceEntry, line: number): Kept {
  return { line, source, calls, answers, media: mediaBytes > 0 || (flags & Flag.image) !== 0, summary: (flags & Flag.hostSummary) === 0 ? '' : texts.join('\n') };
}

/** What the core decided, as changes of these entries, in their order. */
export function changesFrom(core: Pick<Engine, 'repair' | 'collapse'>, entries: readonly Kept[]): Change[] {
  const answered = new Set(entries.map(({ answers }) => answers));
  const repairs = repairsOf(core.repair());
  const piled = repairs.filter(({ action }) => action === Action.collapse);
  const changes = repairs.flatMap(({ action, index, reference }): Change[] => {
    const kept = entries[index];
    const name = NAMES[action];
    if (kept === undefined || name === undefined) return [];
    // Where calls have no names, an answer of the same name is no answer of this one; that the core knows.
    const calls = name === 'close' ? kept.calls.filter((id) => id === UNNAMED_CALL || !answered.has(id)) : [];
    if ((name === 'close' && calls.length === 0) || (name === 'strip' && !kept.media)) return [];
    return [{ ...change(name, kept), calls, into: name === 'collapse' ? entries[reference]?.line : undefined }];
  });
  const newest = entries[piled[0]?.reference ?? -1];
  return newest === undefined ? changes : [...changes, { ...change('merge', newest), text: merged(core, [...piled.flatMap(({ index }) => entries[index] ?? []), newest]) }];
}

function change(action: Change['action'], { line, source, answers }: Kept): Change {
  return { action, line, source, answers, calls: [], into: undefined, text: '' };
}

function merged(core: Pick<Engine, 'collapse'>, summaries: readonly Kept[]): string {
  const { joined, offsets } = joinedOf(summaries.map(({ summary }) => summary.replace(LONE_SURROGATE, '\ufffd')));
  return core.collapse(joined, offsets, false);
}

const NAMES: Readonly<Record<number, Change['action']>> = { [Action.collapse]: 'collapse', [Action.drop]: 'drop', [Action.close]: 'close', [Action.stripMedia]: 'strip' };
