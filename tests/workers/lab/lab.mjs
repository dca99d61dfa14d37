// The object under test: one conversation, as a host would keep it, and hands to disturb it with.
import { DurableObject } from 'cloudflare:workers';
import { breakInstance, loaded, seen } from './capture.mjs';
import { countTokens } from './count.mjs';
import { decodeRecord, durableObject, injected, openSession, sessions } from 'compaction-governor';

loaded();

export class Lab extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS m (n INTEGER PRIMARY KEY, body TEXT NOT NULL)');
    this.name = ctx.id.name;
    this.counted = counting(ctx.storage);
    this.session = this.open();
    this.born = ++births;
  }

  open() {
    return openSession({
      id: this.name,
      store: durableObject(this.counted.storage),
      contextWindow: 4_096,
      countTokens,
      summarize: ({ messages }) => this.model('small', messages),
    });
  }

  async fetch(request) {
    const command = new URL(request.url).pathname.split('/').at(-1);
    try {
      return Response.json({ answer: (await this[command](await request.json())) ?? null });
    } catch (error) {
      if (command === 'sayAndThrow') throw error;
      return Response.json({ error: { message: String(error), name: error.name, code: error.code, applied: error.applied } });
    }
  }

  /** One turn of a chat: the user's message, a call, the answer. */
  async say({ text }) {
    this.keep({ role: 'user', content: text });
    const reply = await this.session.run(this.messages(), (messages) => this.model('large', messages));
    this.keep(reply.choices[0].message);
    return { sent: this.lastPrompt, compactions: this.session.history().length };
  }

  async sayAndThrow({ text }) {
    await this.say({ text });
    throw new Error('the host failed behind its writes');
  }

  /** Puts messages there without any call. */
  async fill({ messages, characters = 700 }) {
    for (let n = 0; n < messages; n += 1) this.keep({ role: n % 2 ? 'assistant' : 'user', content: `${n} ${'lorem ipsum '.repeat(characters / 12)}` });
  }

  async prepare() {
    const step = await this.session.prepare(this.messages());
    return { compacted: step.compacted, decision: step.decision, messages: step.messages.length, firstText: textOf(step.messages[0]) };
  }

  /** The host's own messages, brought from elsewhere. */
  async bring({ messages }) {
    for (const { id, ...message } of messages) this.keep(message);
  }

  /** What the model would be sent. */
  async view() {
    await this.session.ready;
    this.session.advanced.observe(this.messages());
    return this.session.advanced.view(this.messages()).messages;
  }

  async records() {
    return (await this.session.advanced.records()).map(({ part, bytes }) => [part, [...bytes]]);
  }

  async fillAndPrepare(size) {
    await this.fill(size);
    await this.prepare();
  }

  async pin({ text }) {
    return this.session.pin({ text });
  }

  async state() {
    const { found } = await this.session.ready;
    const records = await this.session.advanced.records();
    const root = records.find(({ part }) => part === 'root');
    return { found, born: this.born, decision: this.session.explain(), snapshot: this.session.getSnapshot(), history: this.session.history(), revision: root?.revision ?? 0, parts: records.map(({ part }) => part), guards: root && decodeRecord(root.bytes, this.name) };
  }

  /** Keys that were put and deleted since the last question, in order. */
  async written() {
    return this.counted.written.splice(0);
  }

  /** The object ends here and now, as by an update of its code; what the module remembers stays. */
  async abort() {
    this.ctx.abort('tested');
  }

  /** Claims an attempt and goes no further. */
  async claim() {
    this.session.advanced.observe(this.messages());
    const plan = await this.session.advanced.plan();
    return 'refused' in plan ? plan.refused : { compactionId: plan.compactionId };
  }

  async claimAndAbort() {
    const claimed = this.claim();
    while (this.counted.written.length === 0) await null;
    this.ctx.abort('tested');
    return claimed;
  }

  /** The `nth` commit from now on is taken back after it was answered: the host had a transaction around it, which failed. */
  async prepareRolledBack({ nth }) {
    this.counted.failing = nth;
    return this.prepare();
  }

  /** Many callers at once. */
  async together({ callers, command }) {
    const ended = await Promise.allSettled(Array.from({ length: callers }, (_, n) => this[command]({ text: `caller ${n}` })));
    return ended.map(({ status }) => status);
  }

  /** As a Worker does that opens its session with each request. */
  async reopen() {
    const before = this.session;
    this.session = this.open();
    return { same: this.session === before, found: (await this.session.ready).found };
  }

  async breakInstance() {
    breakInstance();
  }

  /** Linear memory of the package, in bytes: what it grew to it keeps. */
  async memory() {
    return seen.instances.at(-1).exports.memory.buffer.byteLength;
  }

  async loading() {
    return { asked: seen.whileLoading, instances: seen.instances.length };
  }

  async refusal({ of }) {
    const given = { kv: () => injected(this.env.KV), kvAsStorage: () => durableObject(this.env.KV), nothing: () => durableObject(undefined) };
    given[of]();
  }

  async timers() {
    const { setTimeout, clearTimeout } = globalThis;
    const running = new Map();
    let set = 0;
    globalThis.setTimeout = (run, ms) => {
      const id = setTimeout(() => (running.delete(id), run()), ms);
      running.set(id, ms);
      set += 1;
      return id;
    };
    globalThis.clearTimeout = (id) => (running.delete(id), clearTimeout(id));
    try {
      await this.prepare();
    } finally {
      Object.assign(globalThis, { setTimeout, clearTimeout });
    }
    return { set, running: [...running.values()], wakeAt: this.session.getSnapshot().wakeAt ?? null };
  }

  async stores() {
    return durableObject(this.ctx.storage) === durableObject(this.ctx.storage);
  }

  async export() {
    return [...(await sessions(durableObject(this.counted.storage)).export(this.name))];
  }

  async import({ bytes }) {
    return sessions(durableObject(this.counted.storage)).import(Uint8Array.from(bytes), this.name);
  }

  async model(model, messages) {
    const response = await this.env.MODEL.fetch('http://model/v1/chat/completions', { method: 'POST', body: JSON.stringify({ object: this.name, model, messages }) });
    const reply = await response.json();
    if (!response.ok) throw Object.assign(new Error(`HTTP ${response.status}`), { status: response.status, body: reply });
    if (model === 'large') this.lastPrompt = reply.usage.prompt_tokens;
    return reply;
  }

  keep(message) {
    this.ctx.storage.sql.exec('INSERT INTO m (body) VALUES (?)', JSON.stringify(message));
  }

  messages() {
    return this.ctx.storage.sql.exec('SELECT n, body FROM m ORDER BY n').toArray().map(({ n, body }) => ({ id: `m${n}`, ...JSON.parse(body) }));
  }
}

/** Objects that were made in this isolate. */
let births = 0;

function textOf(message) {
  return message === undefined ? '' : String(message.content).slice(0, 200);
}

/** The same storage, whose key-value writes are noted: each is a row. */
function counting(storage) {
  const counted = { written: [], failing: 0 };
  const { written } = counted;
  const kv = {
    get: (key) => storage.kv.get(key),
    list: (options) => storage.kv.list(options),
    put: (key, value) => (written.push(key), storage.kv.put(key, value)),
    delete: (key) => (written.push(key), storage.kv.delete(key)),
  };
  const transactionSync = (closure) => {
    try {
      return storage.transactionSync(() => {
        const before = written.length;
        const answer = closure();
        if (written.length > before && (counted.failing -= 1) === 0) throw new RolledBack(answer);
        return answer;
      });
    } catch (error) {
      if (!(error instanceof RolledBack)) throw error;
      return error.answer;
    }
  };
  return Object.assign(counted, { storage: { kv, transactionSync } });
}

class RolledBack extends Error {
  constructor(answer) {
    super();
    this.answer = answer;
  }
}

/** Of a class that was declared with the old back end. */
export class Old extends DurableObject {
  fetch() {
    try {
      durableObject(this.ctx.storage);
      return Response.json({ answer: 'taken' });
    } catch ({ message, name, code }) {
      return Response.json({ error: { message, name, code } });
    }
  }
}

export default {
  fetch(request, env) {
    if (new URL(request.url).pathname === '/old') return env.OLD.get(env.OLD.idFromName('old')).fetch(request);
    const object = decodeURIComponent(new URL(request.url).pathname.split('/')[1]);
    return env.LAB.get(env.LAB.idFromName(object)).fetch(request);
  },
};
