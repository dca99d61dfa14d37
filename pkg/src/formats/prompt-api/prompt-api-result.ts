// What Chrome's Prompt API says of a session: how much of its context is taken, and that a prompt did not fit.

import { fieldsAt, isFields, type Fields } from '../shape/json.js';
import { plausibleLimit, readOverflow } from '../answers/overflow.js';
import type { Overflow, Usage } from '../reader.js';
import { readUsage } from '../answers/usage.js';

/** Reads a session: what its whole context holds, the answers included. Also `{ promptTokens }`. */
export function readPromptApiUsage(source: unknown): Usage | undefined {
  const taken = numberAt(source, 'contextUsage') ?? numberAt(source, 'inputUsage');
  return taken === undefined ? readUsage(source) : readUsage({ promptTokens: Math.ceil(taken) });
}

/** A prompt that is larger than the session. Storage throws an error of the same name, without the two numbers. */
export function readPromptApiOverflow(error: unknown): Overflow | undefined {
  const refusal = quotaError(error) ?? quotaError(fieldsAt(error, 'cause'));
  if (!refusal) return readOverflow(error);
  const window = numberAt(refusal, 'quota') ?? numberAt(refusal, 'contextWindow');
  if (numberAt(refusal, 'requested') === undefined || window === undefined) return undefined;
  return { limit: plausibleLimit(Math.floor(window)) };
}

function quotaError(error: unknown): Fields | undefined {
  return isFields(error) && error.name === 'QuotaExceededError' ? error : undefined;
}

/** A window may be `Infinity`, which is no number to go by. */
function numberAt(source: unknown, key: string): number | undefined {
  const value = isFields(source) ? source[key] : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
