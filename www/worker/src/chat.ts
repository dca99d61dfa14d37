// One conversation, one object. Whatever it knows lies in its storage: it may end between any two requests, and sleeps while
// its WebSockets stay open.
import { DurableObject } from 'cloudflare:workers';
import { durableObject, openSession, type ChatMessage, type Session } from 'compaction-governor';
import type { Env } from './env.js';
import { textsIn } from './events.js';
import { providerOf } from './provider.js';
import { Transcript } from './transcript.js';

/** What a page hears, over a WebSocket as over server-sent events. */
type Told = { type: 'delta'; text: string } | { type: 'done'; text: string } | { type: 'compaction'; status: string } | { type: 'error'; message: string };
type Tell = (told: Told) => void;

export class Chat extends DurableObject<Env> {
  readonly #transcript = new Transcript(this.ctx.storage.sql);
  readonly #provider = providerOf(this.env);
  /** Turns come one after another: an answer belongs to the message before it. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Asked for with each request: the same object as long as it lives. */
  get #session(): Session {
    return openSession({
      id: this.ctx.id.toString(),
      store: durableObject(this.ctx.storage),
      contextWindow: Number(this.env.CONTEXT_WINDOW),
      summarize: ({ messages, maxTokens, signal }) => this.#provider.complete(messages, maxTokens, signal),
    });
  }

  override async fetch(request: Request): Promise<Response> {
    const what = new URL(request.url).pathname.split('/')[3];
    if (request.headers.get('upgrade') === 'websocket') return this.#socket();
    if (request.method === 'POST') return this.#serverSentEvents(await request.text());
    if (what === 'context') return Response.json(await this.#context());
    if (what === 'messages') return Response.json(this.#transcript.behind(undefined));
    return new Response('no such page', { status: 404 });
  }

  override async webSocketMessage(_socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const tell: Tell = (told) => this.ctx.getWebSockets().forEach((socket) => socket.send(JSON.stringify(told)));
    await this.#answer(typeof message === 'string' ? message : new TextDecoder().decode(message), tell);
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    socket.close(code === NO_CODE ? 1_000 : code);
  }

  /** What could not be done at its time is tried again, with nobody waiting for it. */
  override async alarm(): Promise<void> {
    const { messages, ...behind } = await this.#given();
    await this.#session.prepare(messages, behind);
  }

  #socket(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  #serverSentEvents(text: string): Response {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    // Who has left hears nothing, and is answered all the same.
    const tell: Tell = (told) => void writer.write(encoder.encode(`data: ${JSON.stringify(told)}\n\n`)).catch(() => undefined);
    this.ctx.waitUntil(this.#answer(text, tell).finally(() => writer.close().catch(() => undefined)));
    return new Response(readable, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } });
  }

  #answer(text: string, tell: Tell): Promise<void> {
    const turn = this.#turn.then(() => this.#take(text, tell)).catch((error: unknown) => tell({ type: 'error', message: error instanceof Error ? error.message : String(error) }));
    this.#turn = turn;
    return turn;
  }

  async #take(text: string, tell: Tell): Promise<void> {
    this.#transcript.append('user', text);
    const session = this.#session;
    const quiet = session.on((event) => event.type === 'compaction' && tell({ type: 'compaction', status: event.status }));
    try {
      const { messages, ...behind } = await this.#given();
      const response = await session.run(messages, (view) => this.#provider.stream(view), behind);
      let answer = '';
      for await (const piece of textsIn(response)) {
        answer += piece;
        tell({ type: 'delta', text: piece });
      }
      this.#transcript.append('assistant', answer);
      tell({ type: 'done', text: answer });
    } finally {
      quiet();
    }
    const { decision, wakeAt } = session.getSnapshot();
    if (decision.action !== 'hold' && wakeAt !== undefined) await this.ctx.storage.setAlarm(wakeAt);
  }

  /** The messages behind the summary, and where it ends: the rest of a long history stays on the disk. */
  async #given(): Promise<{ messages: ChatMessage[]; after?: string }> {
    const { resumeAfter } = await this.#session.ready;
    const messages = this.#transcript.behind(resumeAfter);
    return resumeAfter === undefined ? { messages } : { messages, after: resumeAfter };
  }

  /** How full the window is, what was decided and why, and the summaries. */
  async #context(): Promise<object> {
    const session = this.#session;
    const { messages, ...behind } = await this.#given();
    session.advanced.observe(messages, behind);
    return { snapshot: session.getSnapshot(), decision: session.explain(), history: session.history() };
  }
}

const encoder = new TextEncoder();
/** What a close without a code reads as; it cannot be sent. */
const NO_CODE = 1_005;
