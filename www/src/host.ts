import type { ChatMessage, CompactionEvent, CompactResult, Session } from 'compaction-governor';
import { DecisionLog, type LogLine } from './decision-log.js';
import { FIXED_TOKENS, scriptedReply } from './model.js';
import { scriptLength, spokenTurn, turnAt, type Turn } from './script.js';
import { textOf } from './tokens.js';

/** What a host keeps of a chat: its transcript, its files, and what this page draws. All of it is the host's, none the governor's. */
export interface Chat {
  messages: ChatMessage[];
  /** Turns of the script and its follow-ups that were played. */
  turns: number;
  /** Tokens of files in the prompt, outside the messages. */
  filesTokens: number;
  /** Whether this host still puts files into its prompt after a pass. */
  opensFiles: boolean;
  /** Passes after which it did. */
  filesOpened: number;
  /** Passes after which it has not done so yet. */
  filesDue: number;
  /** The pass that no prompt was counted after yet. */
  pass?: { expected: number };
  /** What the provider counted, prompt by prompt. */
  readings: Reading[];
  log: LogLine[];
}

/** One prompt as the provider counted it. */
export interface Reading {
  tokens: number;
  /** What a pass just before this prompt was expected to leave. */
  expected?: number;
}

/** A host: it owns the transcript and the model call, and asks the governor before each. */
export class Host {
  readonly log: DecisionLog;

  constructor(readonly session: Session, readonly chat: Chat = emptyChat()) {
    this.log = new DecisionLog(chat.log);
    session.on((event) => this.#heard(event));
    session.advanced.observe(chat.messages);
  }

  /** Plays the script up to the moment at which the governor refuses, or to its end. */
  async playUntilStopped(): Promise<void> {
    while (this.chat.turns < scriptLength && this.session.explain().action !== 'blocked') await this.playTurn();
  }

  /** Plays the next turn of the script, or a follow-up. */
  async playTurn(): Promise<void> {
    const turn = turnAt(this.chat.turns);
    this.chat.turns += 1;
    await this.#take(turn);
  }

  /** Sends what a visitor typed. */
  async say(text: string): Promise<void> {
    await this.#take(spokenTurn(text));
  }

  /** Compacts because a visitor asked. */
  async compact(): Promise<CompactResult> {
    const result = await this.session.compact(this.chat.messages);
    this.log.asked(result);
    return result;
  }

  /** Drops the files from the prompt and opens none again; or puts them back. */
  setFiles(open: boolean): void {
    this.chat.opensFiles = open;
    this.chat.filesTokens = open ? sum(FILES_TOKENS.slice(0, this.chat.filesOpened)) : 0;
    this.log.note(open ? `The host put its files back: ${this.chat.filesTokens.toLocaleString('en')} tokens.` : 'The host dropped its files from the prompt.');
  }

  /** Tokens in each prompt that are no message: system prompt, tools and files. */
  get outsideTokens(): number {
    return FIXED_TOKENS + this.chat.filesTokens;
  }

  /** True from a pass until the provider has counted a prompt made after it. */
  get awaitsReading(): boolean {
    return this.chat.pass !== undefined;
  }

  /** What was said last, on either side. */
  get lastWords(): { you: string; model: string } {
    const spoken = (role: string): string => textOf(this.chat.messages.findLast((m) => m.role === role && textOf(m) !== '') ?? NOTHING_SAID);
    return { you: spoken('user'), model: spoken('assistant') };
  }

  async #take(turn: Turn): Promise<void> {
    this.chat.messages.push(turn.user);
    for (const [index, reply] of turn.replies.entries()) {
      if (!(await this.#step(reply))) return;
      const result = turn.results[index];
      if (result !== undefined) this.chat.messages.push(result);
    }
  }

  /** One model call. False when the model refused the prompt: the turn ends there, the chat does not. */
  async #step(next: ChatMessage): Promise<boolean> {
    try {
      const { choices } = await this.session.run(this.chat.messages, async (view, step) => {
        this.log.decided(step.decision);
        this.#openFiles();
        const reply = scriptedReply(view, next, this.chat.filesTokens);
        this.#read(reply.usage.prompt_tokens);
        return reply;
      });
      this.chat.messages.push(choices[0].message);
      return true;
    } catch (error) {
      this.log.note(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /** After a pass, agents read the files they work on again. That is what makes these passes useless. */
  #openFiles(): void {
    for (; this.chat.filesDue > 0; this.chat.filesDue -= 1) {
      const size = FILES_TOKENS[this.chat.filesOpened];
      if (!this.chat.opensFiles || size === undefined) continue;
      this.chat.filesOpened += 1;
      this.chat.filesTokens += size;
    }
  }

  #read(tokens: number): void {
    this.chat.readings.push({ tokens, ...this.chat.pass });
    delete this.chat.pass;
  }

  #heard(event: CompactionEvent): void {
    this.log.heard(event);
    if (event.type !== 'compaction' || event.status !== 'completed') return;
    this.chat.pass = { expected: event.afterTokens ?? 0 };
    this.chat.filesDue += 1;
  }
}

/** A chat before its first message. */
export function emptyChat(): Chat {
  return { messages: [], turns: 0, filesTokens: 0, opensFiles: true, filesOpened: 0, filesDue: 0, readings: [], log: [] };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}

/** Files that this host puts into its prompt after its first and its second pass, in tokens. */
const FILES_TOKENS = [16_000, 8_000];
const NOTHING_SAID: ChatMessage = { role: 'user', content: '' };
