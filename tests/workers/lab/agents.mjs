// A conversation as `agents/sessions` keeps it, beside a governor; and its own compaction, to see what that does.
import { DurableObject } from 'cloudflare:workers';
import { Lifecycle } from 'agents/lifecycle';
import { createCompactFunction, Sessions } from 'agents/sessions';
import { decodeRecord, durableObject, openSession } from 'compaction-governor';
import { governed } from '../../../pkg/src/agents/index.ts';
import { aiSdkUi } from '../../../pkg/src/formats/index.ts';

export class Agent extends DurableObject {
  sessions = new Sessions();
  lifecycle = Lifecycle.install(this).use(this.sessions);
  history = this.sessions.session();

  get session() {
    return openSession({ id: 'agent', format: aiSdkUi, store: durableObject(this.ctx.storage), contextWindow: 4_096, summarize: ({ messages }) => this.summarize(messages) });
  }

  get governed() {
    return governed({ history: (options) => this.counted(this.history.history(options)), getCompactions: () => this.history.getCompactions(), addCompaction: (...given) => this.history.addCompaction(...given) }, this.session);
  }

  async *counted(messages) {
    for await (const message of messages) {
      this.read += 1;
      yield message;
    }
  }

  async fetch(request) {
    const [, , command] = new URL(request.url).pathname.split('/');
    try {
      return Response.json({ answer: (await this[command](await request.json())) ?? null });
    } catch (error) {
      return Response.json({ error: { message: String(error), name: error.name, code: error.code } });
    }
  }

  /** One turn, governed. */
  async say({ text }) {
    await this.append('user', text);
    let prompt = 0;
    this.read = 0;
    await this.governed.run(async (messages) => {
      prompt = Math.ceil(JSON.stringify(messages).length / 4);
      return { promptTokens: prompt };
    });
    await this.append('assistant', 'Yes, that is so.');
    return { prompt, read: this.read };
  }

  /** As a host without the governor has it: compaction of its own, after each append. */
  async ungoverned() {
    this.history.onCompaction(createCompactFunction({ summarize: (prompt) => this.summarize([{ role: 'user', content: prompt }]).then(() => 'x'.repeat(9_000)), keepRecentTokens: 200 })).compactAfter(1_500);
    for (let n = 0; n < 12; n += 1) await this.append('user', `message ${n} ${'lorem ipsum '.repeat(60)}`);
  }

  async append(role, text) {
    await this.history.appendMessage({ id: crypto.randomUUID(), role, parts: [{ type: 'text', text }] });
  }

  async state() {
    const { found } = await this.session.ready;
    const records = await this.session.advanced.records();
    const root = records.find(({ part }) => part === 'root');
    const shown = await this.history.getHistory();
    return {
      found,
      compactions: this.session.history().map(({ summary, throughId }) => ({ summary, throughId })),
      overlays: (await this.history.getCompactions()).map(({ summary, toMessageId }) => ({ summary, throughId: toMessageId })),
      shown: shown.length,
      rows: (await this.history.getHistoryRowStats()).length,
      guards: root && decodeRecord(root.bytes, 'agent'),
      used: this.session.explain().usedTokens,
    };
  }

  /** As after an eviction between the governor's commit and the overlay. */
  async dropOverlays() {
    this.ctx.storage.sql.exec('DELETE FROM cf_agents_session_compactions');
  }

  async abort() {
    this.ctx.abort('tested');
  }

  async summarize(messages) {
    const response = await this.env.MODEL.fetch('http://model/', { method: 'POST', body: JSON.stringify({ object: this.ctx.id.name, model: 'small', messages }) });
    if (!response.ok) throw Object.assign(new Error('down'), { status: response.status });
    return response.json();
  }
}

export default {
  fetch(request, env) {
    const object = decodeURIComponent(new URL(request.url).pathname.split('/')[1]);
    return env.AGENT.get(env.AGENT.idFromName(object)).fetch(request);
  },
};
