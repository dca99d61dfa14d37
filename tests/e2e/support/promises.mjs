// What a test saw a store keep, for the table of promises: one line of JSON each, in the file that PROMISES names.
import { appendFileSync } from 'node:fs';

/**
 * `store` kept `promise` in `place` (an engine) `kept` times out of `of`. Call it with what was counted, before asserting.
 * Promises: see `PROMISES` in xtask/src/promises.rs.
 */
export function seen({ store, place, promise, kept, of }) {
  const file = process.env.PROMISES;
  if (file) appendFileSync(file, `${JSON.stringify({ store, place, promise, kept, of })}\n`);
}
