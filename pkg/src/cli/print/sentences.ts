// Each event as a label and a sentence, in the words meant for people.

import type { Decision, Verdict } from '../engine.js';
import type { CompactionEvent, DecisionEvent, OverflowEvent, ReplayEvent, VerdictEvent, ViewEvent, WindowEvent } from '../events.js';
import type { Style } from './style.js';
import { change, clean, count, number } from './words.js';

export interface Said {
  label: string;
  tone: keyof Style;
  text: string;
}

/** What to print of an event that happened at a place; undefined where the heading or the summary says it. */
export function sentence(event: ReplayEvent): Said | undefined {
  switch (event.type) {
    case 'window':
      return { label: 'window', tone: 'warn', text: `A recorded prompt did not fit the window. It is taken to be ${number(event.windowTokens)} tokens from here on.` };
    case 'decision':
      return decided(event);
    case 'compaction':
      return event.by === 'recording' ? recorded(event) : made(event);
    case 'cleared':
      return { label: 'cleared', tone: 'strong', text: `Cleared ${number(event.clearedTokens)} tokens of old results, no model: that was enough.` };
    case 'failed':
      return { label: 'failed', tone: 'bad', text: `The scripted summary was not accepted (${event.code}): ${event.message}` };
    case 'verdict':
      return judged(event);
    case 'overflow':
      return overflowed(event);
    case 'view':
      return viewed(event);
    case 'ignored':
      return { label: 'ignored', tone: 'warn', text: `A reported prompt of ${number(event.promptTokens)} tokens was not believed: ${DISBELIEF[event.reason] ?? reasonWords(event.reason)}. Further ones like it are only counted.` };
    case 'left_out':
      return { label: 'left out', tone: 'faint', text: 'The recording compacted here. A simulation leaves that out: what the prompt lost is put back.' };
    case 'rewind':
      return { label: 'went back', tone: 'faint', text: `The recording dropped its last ${count(event.dropped, 'entry', 'entries')} and goes on from the first ${number(event.entries)}.` };
    default:
      return undefined;
  }
}

export function windowSource({ source, model }: Pick<WindowEvent, 'source' | 'model'>): string {
  switch (source) {
    case 'option':
      return 'as you said';
    case 'recording':
      return 'as the recording says';
    case 'model':
      return `for ${clean(model ?? 'its model')}`;
    case 'learned':
      return 'as a recorded prompt proves';
    case 'assumed':
      return 'assumed: state yours with --window N';
  }
}

export function verdictWord(verdict: Verdict): string {
  return { effective: 'helped', weak: 'did not help', ineffective: 'did not help', pending: 'no verdict' }[verdict];
}

/** A reason code in words; codes without an entry read well enough. */
export function reasonWords(reason: string): string {
  return REASON_WORDS[reason] ?? reason.replaceAll('_', ' ');
}

function decided({ decision, simulated }: DecisionEvent & { simulated?: true }): Said {
  const { action, reason = '', sentence: text } = decision;
  if (action === 'compact') return { label: simulated ? 'compacts' : 'would compact', tone: 'strong', text };
  if (action === 'hold') return { label: 'no pass due', tone: 'faint', text };
  if (action === 'wait') return { label: 'waits', tone: 'faint', text };
  return { label: PAUSES.has(reason) ? 'paused' : 'refuses', tone: 'bad', text };
}

function recorded(event: CompactionEvent): Said {
  const { coversEntries, entries, summaryTokens, trigger } = event;
  const what = coversEntries >= entries ? `all ${number(entries)} entries` : `the first ${number(coversEntries)} of ${number(entries)} entries`;
  const by = summaryTokens > 0 ? `by a summary of about ${number(summaryTokens)} tokens` : 'and shows no summary';
  const asked = trigger === 'manual' ? ' because somebody asked' : '';
  return { label: 'compaction', tone: 'strong', text: `The recording replaced ${what} ${by}${asked}. ${sameHere(event.decision)}` };
}

function sameHere({ action, sentence: text }: Decision): string {
  if (action === 'compact') return 'The governor would have compacted here too.';
  const would = { hold: 'would not have', wait: 'would have waited', blocked: 'would have refused' }[action];
  return `The governor ${would}: ${text}`;
}

function made({ coversEntries, entries, summaryTokens }: CompactionEvent): Said {
  const summary = summaryTokens > 0 ? `a scripted summary of ${number(summaryTokens)} tokens` : 'a plain summary (no model)';
  return { label: 'compaction', tone: 'strong', text: `The first ${number(coversEntries)} of ${number(entries)} entries became ${summary}.` };
}

function viewed({ messages, keptMessages, bytes, summaryBytes, stablePrefix }: ViewEvent): Said {
  const text = `The model is sent ${count(messages, 'message')} of ${number(bytes)} bytes: ${number(keptMessages)} as they were, and ${number(summaryBytes)} bytes in the place of the others. The first ${number(stablePrefix)} did not change.`;
  return { label: 'view', tone: 'faint', text };
}

function judged({ verdict, estimated, beforeTokens, afterTokens }: VerdictEvent): Said {
  const tone = verdict === 'effective' ? 'good' : 'bad';
  const why = { effective: '', weak: ': too little to count', ineffective: ': still at or above the line where passes start', pending: '' }[verdict];
  const how = estimated ? ' This is an estimate: no usage came in time.' : '';
  return { label: verdictWord(verdict), tone, text: `${fromTo(beforeTokens, afterTokens)}${why}.${how}` };
}

/** "160,260 → 44,151 tokens, 72 % less". */
export function fromTo(before: number | null, after: number | null): string {
  if (before === null) return 'size unknown';
  return after === null ? `${number(before)} tokens before` : `${number(before)} → ${number(after)} tokens, ${change(before, after)}`;
}

function overflowed({ promptTokens, windowTokens, fixedTokens, gaveUp }: OverflowEvent): Said {
  const fixed = fixedTokens > windowTokens ? ` The fixed part alone, about ${number(fixedTokens)} tokens, is larger than the window: no pass can help, here and until it shrinks.` : '';
  const then = gaveUp && fixed === '' ? ', and no pass can change that now' : '';
  return { label: 'does not fit', tone: 'bad', text: `The provider would have refused this prompt: ${number(promptTokens)} tokens, window ${number(windowTokens)}${then}.${fixed}` };
}

/** Refusals that end by themselves after passes that went wrong. */
const PAUSES: ReadonlySet<string> = new Set(['ineffective', 'fallback_streak', 'cooldown']);

const DISBELIEF: Readonly<Record<string, string>> = {
  impossible: 'it is above the window, and far from what the messages add up to',
  stale_view: 'it belongs to the view before the last pass',
  fewer_entries: 'it covers fewer messages than one already counted',
};
const REASON_WORDS: Readonly<Record<string, string>> = {
  floor_bound: 'fixed part too large',
  ineffective: 'paused, passes did not help',
  fallback_streak: 'paused after plain summaries',
  cooldown: 'paused after a failure',
  nothing_to_compact: 'nothing new to summarise',
  awaiting_usage: 'no usage since the last pass',
  open_tool_calls: 'a tool call without its result',
  refilling: 'refilled at once',
};
