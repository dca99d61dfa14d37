import { indexedDb, localStorageStore, memory, openSession, type ChatMessage, type Opened, type Session, type Store, type StoredRecord, type SummaryRequest } from 'compaction-governor';
import { chats } from './chats.js';
import { Host } from './host.js';
import { scriptedSummary, WINDOW_TOKENS, type Reply, type SummariserMood } from './model.js';
import { Tally } from './tally.js';

/** Where a side keeps its session. */
export type StoreKind = 'memory' | 'localStorage' | 'indexedDb';

/** One of the two chats: a host, a session and its store. */
export class Side {
  readonly tally: Tally;
  /** What the store holds, as last read. */
  records: readonly StoredRecord[] = [];
  mood: SummariserMood = 'works';
  /** Something is going on that a visitor waits for. */
  busy = false;
  /** What this load cost before anyone asked for anything. */
  paidOnOpening = 0;
  #open: Open | undefined;
  #seen = { passes: 0, tokens: 0 };
  #queue: Promise<unknown> = Promise.resolve();
  readonly #otherTabs: BroadcastChannel;

  constructor(readonly name: 'left' | 'right', public kind: StoreKind, readonly changed: () => void) {
    this.tally = new Tally(name);
    this.#otherTabs = new BroadcastChannel(this.#id);
    this.#otherTabs.onmessage = () => void this.#reread();
  }

  /** The session, once opened. */
  get session(): Session<ChatMessage> {
    return this.#opened.session;
  }

  /** The host, once opened. */
  get host(): Host {
    return this.#opened.host;
  }

  /** How the session was found. */
  get found(): Opened['found'] {
    return this.#opened.opened.found;
  }

  /** Opens the session and, where its chat is not kept, plays the script until the governor refuses. */
  async open(): Promise<void> {
    await exclusively(this.#id, () => this.#openHere());
  }

  /** Does one thing after another; what a visitor asks for while one runs waits for its turn. */
  act<T>(thing: (host: Host) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const result = await thing(this.host);
      await this.#settle();
      this.#tellOtherTabs();
      return result;
    });
  }

  /** Opens the same side on another store. */
  move(kind: StoreKind): Promise<void> {
    return this.#inTurn(async () => {
      await this.session.close();
      this.kind = kind;
      await this.open();
    });
  }

  /** Removes the session, the host's chat and the page's bookkeeping, and plays again. */
  wipe(): Promise<void> {
    return this.#inTurn(async () => {
      await this.session.close();
      await this.session.advanced.remove();
      await chats.remove(this.#id);
      this.tally.clear();
      await this.open();
      this.#tellOtherTabs();
    });
  }

  get #id(): string {
    return `page-${this.name}`;
  }

  get #opened(): Open {
    if (this.#open === undefined) throw new Error('The side is not open yet.');
    return this.#open;
  }

  #inTurn<T>(thing: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(async () => {
      this.busy = true;
      this.changed();
      return thing();
    }).finally(() => {
      this.busy = false;
      this.changed();
    });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #openHere(): Promise<void> {
    const store = STORES[this.kind]();
    const session = openSession({
      id: this.#id, store, contextWindow: WINDOW_TOKENS,
      // What is shown is a pause after passes that did not help; cleared results would put them off.
      prune: false,
      summarize: (request) => this.#summarise(request),
    });
    const opened = await session.ready;
    const kept = this.kind === 'memory' || opened.found === 'new' ? undefined : await chats.load(this.#id);
    this.#open = { session, opened, host: new Host(session, kept) };
    this.#seen = this.#spent();
    session.subscribe(this.changed);
    if (kept === undefined) await this.host.playUntilStopped();
    const before = this.tally.paid.tokens;
    await this.#settle();
    this.paidOnOpening = this.tally.paid.tokens - before;
  }

  async #summarise(request: SummaryRequest<ChatMessage>): Promise<Reply> {
    try {
      return await scriptedSummary(request, this.mood);
    } catch (error) {
      this.host.log.note(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** Writes down what the host keeps, what was paid, and what the store holds now. */
  async #settle(): Promise<void> {
    const { passes, tokens } = this.#spent();
    this.tally.pay(passes - this.#seen.passes, tokens - this.#seen.tokens);
    this.#seen = { passes, tokens };
    if (this.kind !== 'memory') await chats.save(this.#id, this.host.chat);
    this.records = await this.session.advanced.records().catch(() => []);
  }

  /** Another tab went on with this chat: what this one knows of it is old. */
  async #reread(): Promise<void> {
    if (this.kind !== 'memory') await this.move(this.kind);
  }

  #tellOtherTabs(): void {
    if (this.kind !== 'memory') this.#otherTabs.postMessage('changed');
  }

  #spent(): { passes: number; tokens: number } {
    const { compactions, summaryTokensSpent } = this.session.getSnapshot();
    return { passes: compactions, tokens: summaryTokensSpent };
  }
}

interface Open {
  session: Session<ChatMessage>;
  opened: Opened;
  host: Host;
}

/** Two tabs that open at once would play the same script into one session; one plays, the other finds it played. */
async function exclusively(name: string, open: () => Promise<void>): Promise<void> {
  if (navigator.locks === undefined) return open();
  await navigator.locks.request(`open:${name}`, open);
}

const STORES: Record<StoreKind, () => Store> = {
  memory: () => memory(),
  localStorage: () => localStorageStore(),
  indexedDb: () => indexedDb(),
};
