// The entries of one conversation with their places, and what can be counted of those that a model would be sent.

import { Flag, Role, type TraceEntry } from '../trace.js';
import type { Diagnosis, Weight } from './diagnosis.js';

interface Stood {
  entry: Omit<TraceEntry, 'said'>;
  line: number;
}

export class Standing {
  readonly #all: Stood[] = [];

  add({ said: _words, ...entry }: TraceEntry, line: number): void {
    this.#all.push({ entry, line });
  }

  rewind(length: number): void {
    this.#all.length = Math.min(this.#all.length, length);
  }

  get count(): number {
    return this.#all.length;
  }

  /** What is wrong with the entries at these places, in order. */
  counted(shown: readonly number[]): Pick<Diagnosis, 'summaries' | 'orphans' | 'media' | 'largest'> {
    const seen = shown.flatMap((index) => this.#all[index] ?? []);
    return { summaries: summariesOf(seen), orphans: this.#orphans(shown), media: mediaOf(seen), largest: largestOf(seen) };
  }

  /** A result that no call before it asked for; a call that the conversation went on without, its results missing. */
  #orphans(shown: readonly number[]): Diagnosis['orphans'] {
    const answered = new Map<number, number>();
    const orphans: Diagnosis['orphans'] = { calls: [], results: [] };
    for (const index of shown) {
      const stood = this.#all[index];
      if (stood === undefined || (stood.entry.flags & Flag.result) === 0) continue;
      if (stood.entry.group === index) orphans.results.push(stood.line);
      else answered.set(stood.entry.group, (answered.get(stood.entry.group) ?? 0) + 1);
    }
    const wentOn = this.#all.map(({ entry }) => (entry.flags & Flag.result) === 0 && entry.role !== Role.system).lastIndexOf(true);
    for (const index of shown) {
      const stood = this.#all[index];
      if (stood !== undefined && index < wentOn && stood.entry.calls > (answered.get(index) ?? 0)) orphans.calls.push(stood.line);
    }
    return orphans;
  }
}

function summariesOf(seen: readonly Stood[]): Diagnosis['summaries'] {
  const found = seen.filter(({ entry }) => (entry.flags & Flag.hostSummary) !== 0);
  return { messages: found.length, bytes: sum(found, 'bytes'), tokens: sum(found, 'tokens'), lines: found.map(({ line }) => line) };
}

function mediaOf(seen: readonly Stood[]): Diagnosis['media'] {
  const found = seen.filter(({ entry }) => entry.mediaBytes > 0 || (entry.flags & Flag.image) !== 0);
  return { entries: found.length, bytes: sum(found, 'mediaBytes'), lines: found.map(({ line }) => line) };
}

function largestOf(seen: readonly Stood[]): Weight[] {
  const heaviest = [...seen].sort((a, b) => b.entry.tokens - a.entry.tokens || b.entry.mediaBytes - a.entry.mediaBytes).slice(0, LARGEST_SHOWN);
  return heaviest.map(({ entry: { role, tokens, bytes, mediaBytes }, line }) => ({ line, role: ROLES[role], tokens, bytes, mediaBytes }));
}

function sum(found: readonly Stood[], member: 'bytes' | 'tokens' | 'mediaBytes'): number {
  return found.reduce((total, { entry }) => total + entry[member], 0);
}

const ROLES = ['system', 'user', 'assistant', 'tool'] as const;
const LARGEST_SHOWN = 5;
