// What all entry points share, in one module of its own, so that two entries of one package are one copy of it. They
// differ only in how the WebAssembly file gets in.

import { initSync } from './boundary/glue.js';
import { noteCopy } from './copies.js';
import { compactionError } from './errors.js';

export * from './api.js';

noteCopy();

/** Begins the instance, unless there is one. */
export function start(module: unknown): void {
  blockedOr(() => initSync({ module }));
}

/** What `begin` gives; where the page forbids WebAssembly, it says so instead of the engine. */
export function blockedOr<T>(begin: () => T): T {
  try {
    return begin();
  } catch (error) {
    throw startError(error);
  }
}

/** Why it did not begin, as an error of ours. */
export function startError(cause: unknown): unknown {
  const text = String(cause);
  const blocked = /Content Security Policy|\bCSP\b|unsafe-eval|code generation|disallowed by/i.test(text);
  const error = blocked
    ? compactionError('wasm_blocked', "compiling WebAssembly is forbidden here, so nothing of this package runs; in a page add 'wasm-unsafe-eval' to script-src of its Content-Security-Policy, in a Worker let the bundler take the condition workerd")
    : compactionError('wasm_failed', `the WebAssembly file did not start (${text}); nothing of this package runs; pass the file of compaction-governor/wasm of this version`);
  return Object.assign(error, { cause });
}
