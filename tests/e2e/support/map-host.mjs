/** A store object for `injected`, over a map: what a host writes for a server of its own. */
export class MapHost {
  capabilities = { survives: 'kill', maxValueBytes: 4_360 };

  constructor(sessions) {
    this.sessions = sessions;
  }

  async load(session) {
    const held = this.sessions.get(session);
    return held ? { revision: held.revision, parts: new Map(held.parts) } : null;
  }

  async commit(session, expected, { puts, deletes }) {
    const held = this.sessions.get(session);
    const actual = held?.revision ?? null;
    if (actual !== expected) return { conflict: actual };
    const parts = new Map(held?.parts);
    for (const part of deletes) parts.delete(part);
    for (const [part, bytes] of puts) parts.set(part, bytes);
    this.sessions.set(session, { revision: actual + 1, parts });
    return { revision: actual + 1 };
  }

  async list(after) {
    return [...this.sessions.keys()].sort().filter((id) => after === undefined || id > after);
  }

  async remove(session, expected) {
    const actual = this.sessions.get(session)?.revision ?? null;
    if (expected !== undefined && actual !== expected) return { conflict: actual };
    this.sessions.delete(session);
  }
}
