// What a host writes for `injected`, over a map: the smallest object that keeps the contract.

import type { InjectedBatch, InjectedStore } from 'compaction-governor';

type Held = { revision: number; parts: Map<string, Uint8Array> };
export type Data = Map<string, Held>;

/** Answers at once; `data` is shared by all contexts over the same place. */
export class KeptMap {
  readonly capabilities = { survives: 'kill', maxValueBytes: 4_360 } as const;

  constructor(readonly data: Data = new Map()) {}

  load(session: string): { revision: number; parts: Map<string, Uint8Array> } | null {
    const held = this.data.get(session);
    return held ? { revision: held.revision, parts: new Map(held.parts) } : null;
  }

  commit(session: string, expected: number | null, { puts, deletes }: InjectedBatch, _opId: string): { revision: number } | { conflict: number | null } {
    const held = this.data.get(session);
    if ((held?.revision ?? null) !== expected) return { conflict: held?.revision ?? null };
    const parts = new Map(held?.parts);
    for (const part of deletes) parts.delete(part);
    for (const [part, bytes] of puts) parts.set(part, bytes.slice());
    const revision = (expected ?? 0) + 1;
    this.data.set(session, { revision, parts });
    return { revision };
  }

  list(after: string | undefined, limit: number): string[] {
    const behind = [...this.data.keys()].sort().filter((id) => after === undefined || id > after);
    return behind.slice(0, Math.min(limit, 3));
  }

  remove(session: string, expected?: number): void | { conflict: number | null } {
    const actual = this.data.get(session)?.revision ?? null;
    if (expected !== undefined && actual !== expected) return { conflict: actual };
    this.data.delete(session);
  }
}

/** The same object with every answer passed through `answer`. */
export function answering(object: KeptMap, answer: <T>(value: T) => Promise<T>): InjectedStore {
  return {
    capabilities: object.capabilities,
    load: (session) => answer(object.load(session)),
    commit: (session, expected, batch, opId) => answer(object.commit(session, expected, batch, opId)),
    list: (after, limit) => answer(object.list(after, limit)),
    remove: (session, expected) => answer(object.remove(session, expected)),
  };
}
