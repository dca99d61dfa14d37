import type { CompactionEvent, CompactResult, Decision } from 'compaction-governor';
import { tokens } from './format.js';

/** One line of a panel's "last decisions". */
export interface LogLine {
  at: number;
  /** The action or event, as its stable code. */
  code: string;
  text: string;
  /** How often in a row it was the same answer. */
  times: number;
}

/** What was decided and what came of it, newest last. Equal answers in a row are one line. */
export class DecisionLog {
  constructor(readonly lines: LogLine[]) {}

  /** The answer that a model call was made with. */
  decided(decision: Decision): void {
    if (decision.action === 'compact') return;
    this.#add(`${decision.action} · ${decision.reason}`, decision.sentence);
  }

  /** What came of a pass. */
  heard(event: CompactionEvent): void {
    switch (event.type) {
      case 'compaction': return this.#pass(event);
      case 'verdict': return this.#add(`verdict · ${event.verdict}`, VERDICTS[event.verdict](tokens(event.promptTokens)));
      case 'loss': return this.#add(`loss · ${event.found}`, LOSSES[event.found]);
      case 'storage': return this.#add(`store · ${event.durability}`, `The store is ${event.durability}.`);
      default: return;
    }
  }

  /** What came of a pass that a visitor asked for. */
  asked(result: CompactResult): void {
    if (result.status === 'refused') this.#add(`by hand · ${result.decision.action}`, result.decision.sentence);
  }

  /** Something that the host did. */
  note(text: string): void {
    this.#add('host', text);
  }

  #pass(event: Extract<CompactionEvent, { type: 'compaction' }>): void {
    if (event.status === 'in_progress') return;
    const sizes = event.beforeTokens === undefined || event.afterTokens === undefined
      ? '' : `: ${tokens(event.beforeTokens)} before, ${tokens(event.afterTokens)} expected after`;
    const text = event.status === 'completed' ? `A summary was written${sizes}.` : `No summary was written (${event.failure ?? event.status}); the history stays as it was.`;
    this.#add(`pass · ${event.trigger} · ${event.status}`, text);
  }

  #add(code: string, text: string): void {
    const last = this.lines.at(-1);
    const same = last !== undefined && last.code === code;
    if (same) Object.assign(last, { at: Date.now(), text, times: last.times + 1 });
    else this.lines.push({ at: Date.now(), code, text, times: 1 });
    this.lines.splice(0, Math.max(0, this.lines.length - KEPT_LINES));
  }
}

const LOSSES = {
  lost: 'The store had a record of this chat and has none now.',
  rolled_back: 'The store went back to an older record of this chat.',
  quarantined: 'A stored record could not be read and was put aside.',
} as const;
const VERDICTS = {
  pending: (size: string) => `The next reply counted ${size} tokens; no verdict yet.`,
  effective: (size: string) => `It helped: the next reply counted ${size} tokens.`,
  weak: (size: string) => `It did not help: the next reply counted ${size} tokens, less than a tenth saved.`,
  ineffective: (size: string) => `It did not help: the next reply counted ${size} tokens, not below the threshold.`,
} as const;
/** More than a panel shows, so that a chat's last passes stay in it. */
const KEPT_LINES = 24;
