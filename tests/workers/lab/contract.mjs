// The storage contract, held against the storage of an object. Each name of the suite is a prefix of its own in one object.
import { DurableObject } from 'cloudflare:workers';
import { durableObject } from 'compaction-governor';
import { checkStore } from 'compaction-governor/conformance';

export class Contract extends DurableObject {
  async fetch(request) {
    const { broken, clauses } = await request.json();
    const storage = broken ? forgetful(this.ctx.storage) : this.ctx.storage;
    const report = await checkStore((name) => durableObject(within(storage, `${name}/`)), clauses && { clauses });
    return Response.json({ answer: { ...report, left: [...this.ctx.storage.kv.list({})].map(([key]) => key) } });
  }
}

/** A second object with the same prefix is a second writer. */
function within(storage, prefix) {
  const { kv } = storage;
  return {
    transactionSync: (closure) => storage.transactionSync(closure),
    kv: {
      get: (key) => kv.get(prefix + key),
      put: (key, value) => kv.put(prefix + key, value),
      delete: (key) => kv.delete(prefix + key),
      list: ({ prefix: more = '', startAfter, limit }) => [...kv.list({ prefix: prefix + more, limit, ...(startAfter === undefined ? {} : { startAfter: prefix + startAfter }) })].map(([key, value]) => [key.slice(prefix.length), value]),
    },
  };
}

/** What a host would have that reads, and writes a moment later. */
function forgetful(storage) {
  const seen = new Map();
  const kv = { ...within(storage, '').kv, get: (key) => (seen.has(key) ? seen.get(key) : (seen.set(key, storage.kv.get(key)), seen.get(key))) };
  return { transactionSync: (closure) => closure(), kv };
}

export default {
  fetch: (request, env) => env.CONTRACT.get(env.CONTRACT.idFromName('one')).fetch(request),
};
