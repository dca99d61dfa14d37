// Errors that any copy of this package in the process recognises.

import type { CompactionError } from './surface.js';

const BRAND: unique symbol = Symbol.for('compaction-governor.error');

/** Builds an error; `message` says what happened, what holds now and what to do. */
export function compactionError(code: string, message: string, facts: { retryable?: boolean; applied?: 'no' | 'unknown' } = {}): CompactionError {
  return new BrandedError(code, message, facts.retryable ?? false, facts.applied ?? 'no');
}

export function isCompactionError(error: unknown): error is CompactionError {
  return typeof error === 'object' && error !== null && BRAND in error;
}

/** Runs `call`; what the WebAssembly side throws as a plain error with a code comes out branded. */
export function branded<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw brand(error);
  }
}

/** The branded form of an error with a code; any other as it is. */
export function brand(error: unknown): unknown {
  return isCoded(error) && !isCompactionError(error) ? compactionError(error.code, error.message, error) : error;
}

class BrandedError extends Error implements CompactionError {
  override readonly name = 'CompactionError';
  readonly docs = 'README.md#errors';
  readonly [BRAND] = true;

  constructor(
    readonly code: string,
    message: string,
    readonly retryable: boolean,
    readonly applied: 'no' | 'unknown',
  ) {
    super(message);
  }
}

function isCoded(error: unknown): error is { code: string; message: string; retryable: boolean; applied: 'no' | 'unknown' } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'retryable' in error && typeof error.retryable === 'boolean' && 'applied' in error && (error.applied === 'no' || error.applied === 'unknown');
}
