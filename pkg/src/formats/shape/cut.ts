// Long texts and values made short: the beginning and the end stay, the middle is named. No character is broken.

import { jsonOf } from './json.js';
import { mapStrings, parseJson } from './strings.js';

/** `text` in about `bytes` UTF-8 bytes: its beginning, how much is left out, its end. Within them it stays as it is. */
export function cutText(text: string, bytes: number): string {
  if (fits(text, bytes)) return text;
  const half = Math.max(0, bytes - NOTICE) >> 1;
  const head = within(text, half, 0, 1);
  const tail = within(text, half, text.length - 1, -1);
  const end = tail + 1;
  return `${text.slice(0, head)}\n[${end - head} characters left out]\n${text.slice(end)}`;
}

/** `value` with its strings cut so that it comes to about `bytes` as JSON; where no cutting of strings is enough, one string that quotes it. */
export function cutValue(value: unknown, bytes: number): unknown {
  if (typeof value === 'string') return cutText(value, bytes);
  const json = jsonOf(value);
  if (fits(json, bytes)) return value;
  for (const each of [bytes, bytes >> 2, bytes >> 4]) {
    const shorter = mapStrings(value, (text) => cutText(text, each));
    if (fits(jsonOf(shorter), bytes + bytes / 2)) return shorter;
  }
  return { shortened: cutText(json, bytes) };
}

/** The same for JSON that is written out as text: what comes back is JSON as well. Text that is none is cut as text. */
export function cutJson(text: string, bytes: number): string {
  if (fits(text, bytes)) return text;
  const parsed = parseJson(text);
  return parsed ? jsonOf(cutValue(parsed.value, bytes)) : cutText(text, bytes);
}

function fits(text: string, bytes: number): boolean {
  return text.length <= bytes && (text.length * 3 <= bytes || within(text, bytes, 0, 1) >= text.length);
}

/** Where `budget` UTF-8 bytes are used up, from `start` in the direction of `step`; never between the halves of a pair. */
function within(text: string, budget: number, start: number, step: 1 | -1): number {
  let left = budget;
  let at = start;
  while (at >= 0 && at < text.length) {
    const units = isPair(text, at, step) ? 2 : 1;
    left -= units === 2 ? 4 : width(text.charCodeAt(at));
    if (left < 0) break;
    at += step * units;
  }
  return at;
}

function isPair(text: string, at: number, step: 1 | -1): boolean {
  const [high, low] = step === 1 ? [at, at + 1] : [at - 1, at];
  return (text.charCodeAt(high) & 0xfc00) === 0xd800 && (text.charCodeAt(low) & 0xfc00) === 0xdc00;
}

function width(unit: number): number {
  return unit > 0x7ff ? 3 : unit > 0x7f ? 2 : 1;
}

/** What naming the middle takes, so that a text that was cut is not cut again. */
const NOTICE = 40;
