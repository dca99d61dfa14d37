// Reading foreign JSON without trusting it: each function answers with something usable, whatever it is given.

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or one without fields. */
export function fields(value: unknown): Fields {
  return isFields(value) ? value : NOTHING;
}

/** The array, or an empty one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The string, or an empty one. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A count of tokens: a whole number from 0 to 2^32 - 1. Anything else reads as 0. */
export function tokens(value: unknown): number {
  return typeof value === 'number' && value > 0 && value <= 0xffff_ffff ? Math.floor(value) : 0;
}

/** Epoch milliseconds from an ISO string, or from a number of seconds or milliseconds. */
export function instant(value: unknown): number | undefined {
  if (typeof value === 'string') return plausible(Date.parse(value));
  if (typeof value !== 'number') return undefined;
  return plausible(Math.floor(value < SECONDS_END ? value * 1_000 : value));
}

/** The value as JSON text; empty where it cannot be written (too deep). A string stands for itself. */
export function written(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** Names of an object's fields for a message to a person: the first few, shortened, nothing that moves the cursor. */
export function fieldNames(value: Fields): string {
  const names = Object.keys(value);
  const shown = names.slice(0, NAMES_SHOWN).map(shortName);
  return shown.join(', ') + (names.length > NAMES_SHOWN ? `, and ${names.length - NAMES_SHOWN} more` : '');
}

function shortName(name: string): string {
  const clean = name.replace(/[\p{C}\p{Z}]+/gu, ' ');
  return clean.length > NAME_LENGTH ? `${clean.slice(0, NAME_LENGTH)}…` : clean;
}

function plausible(ms: number): number | undefined {
  return ms >= FIRST_INSTANT && ms <= LAST_INSTANT ? ms : undefined;
}

const NOTHING: Fields = Object.freeze({});
const NAMES_SHOWN = 6;
const NAME_LENGTH = 24;
/** Numbers below this are seconds: as milliseconds they would lie before March 1973. */
const SECONDS_END = 100_000_000_000;
/** The year 2000 and the year 2100: outside of them a number is not the time of a recorded conversation. */
const FIRST_INSTANT = 946_684_800_000;
const LAST_INSTANT = 4_102_444_800_000;
