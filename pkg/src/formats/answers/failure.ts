// Why a summariser failed, as one of the classes that the policy backs off by.

import { errorFacts, type ErrorFacts } from './error-facts.js';
import { isFields } from '../shape/json.js';
import type { Failure } from '../reader.js';
import type { FailureClass } from '../../surface.js';

export function readFailure(error: unknown, now: number): Failure {
  const facts = errorFacts(error);
  const failureClass = isOverloaded(error) ? 'rate_limit' : classOf(facts);
  return { failureClass, retryAfterMs: failureClass === 'rate_limit' ? retryAfter(facts, now) : 0 };
}

/** What the call of a Durable Object that has too much to do is rejected with. Asking again at once is what it asks not to do. */
function isOverloaded(error: unknown): boolean {
  return isFields(error) && error.overloaded === true;
}

function classOf({ status, codes, texts }: ErrorFacts): FailureClass {
  if (codes.includes('no_summarizer')) return 'no_summarizer';
  if (status === 401 || status === 403) return 'auth';
  // OpenAI sends an empty account as 429, where waiting does not help.
  if (status === 402 || codes.includes('insufficient_quota') || texts.some((text) => SPENT.test(text))) return 'quota';
  if (status === 429 || codes.includes('rate_limit_exceeded')) return 'rate_limit';
  if (status === 408 || status === 504 || codes.some((code) => LATE.test(code))) return 'timeout';
  return 'other';
}

/** `retry-after` is in seconds or a date; 0 where nothing usable is stated. */
function retryAfter(facts: ErrorFacts, now: number): number {
  const ms = Number(facts.header('retry-after-ms') ?? Number.NaN);
  if (ms > 0) return Math.round(ms);
  const stated = facts.header('retry-after');
  if (stated === undefined) return Math.round(Math.max(0, facts.numbers.get('retry_after') ?? 0) * 1_000);
  const seconds = Number(stated);
  const wait = Number.isNaN(seconds) ? Date.parse(stated) - now : seconds * 1_000;
  return wait > 0 && wait <= Number.MAX_SAFE_INTEGER ? Math.round(wait) : 0;
}

const SPENT = /insufficient_quota|exceeded your current quota|credit balance is too low/i;
const LATE = /^(?:AbortError|TimeoutError|APIConnectionTimeoutError|APIUserAbortError|ETIMEDOUT|ECONNABORTED|UND_ERR_\w*TIMEOUT)$/;
