// A host for the bare page: messages of known sizes, a provider that counts, files that come back after a pass.
import { decodeRecord, openSession } from '../package/index.js';

/** The 16th turn is due for a pass, the 17th for another; with these files neither helps. */
export class Chat {
  /** Summaries written since this page was loaded. */
  summaries = 0;
  /** Events since this page was loaded. */
  events = [];

  /** `kept`: what the host kept of this chat over a reload; its transcript follows from the number of turns. `options`: of the session. */
  constructor(id, store, kept = { turns: 0, outside: 4_000, files: [16_000, 8_000] }, options = {}) {
    this.kept = kept;
    this.session = openSession({ id, store, contextWindow: 32_768, countTokens: rough, summarize: async () => this.#summary(), ...options });
    this.session.on((event) => this.events.push(event));
  }

  /** Asks the next question. The reply's usage is reported by `report`, unless the page goes away first. */
  async ask() {
    this.step = await this.session.prepare(this.transcript());
    if (this.step.compacted) this.kept.outside += this.kept.files.shift() ?? 0;
    return { compacted: this.step.compacted, decision: this.step.decision };
  }

  /** The reply is there: it is counted, and the turn is over. */
  async report() {
    const promptTokens = this.kept.outside + this.step.messages.reduce((sum, { content }) => sum + rough(content), 0);
    await this.step.done({ promptTokens });
    this.kept.turns += 1;
    return promptTokens;
  }

  /** Whole turns, until there were `turns` of them. */
  async play(turns) {
    while (this.kept.turns < turns) {
      await this.ask();
      await this.report();
    }
    return this.kept;
  }

  /** What the store holds of the guard. */
  async record() {
    const root = (await this.session.advanced.records()).find(({ part }) => part === 'root');
    return root && decodeRecord(root.bytes, this.session.id);
  }

  async #summary() {
    this.summaries += 1;
    const content = 'The plan stands. Its first parts are done, their tests are green, and the next part has been read but not begun.';
    return { choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }], usage: { prompt_tokens: 20_000, completion_tokens: 33 } };
  }

  transcript() {
    const messages = [];
    for (let turn = 0; turn <= this.kept.turns; turn += 1) {
      messages.push({ role: 'user', content: text(`Question ${turn}. `, turn === LONG_TURN ? 4_500 : 200) });
      if (turn < this.kept.turns) messages.push({ role: 'assistant', content: text(`Answer ${turn}. `, 1_000) });
    }
    return messages;
  }
}

function text(opening, tokens) {
  const filler = 'All parts were read and compared with what the plan says. ';
  return opening + filler.repeat(Math.ceil((tokens * 3.5) / filler.length));
}

/** What this provider counts, so that the sizes of the turns are what they are meant to be. */
export function rough(content) {
  return Math.ceil(new TextEncoder().encode(content).length / 3.5);
}

/** A long question is part of the fixed part while it is the newest: the first pass has to leave much behind. */
const LONG_TURN = 15;
