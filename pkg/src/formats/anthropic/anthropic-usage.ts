// What Anthropic counted. Its input leaves out what was read from and written to the cache.

import { fieldsAt, isFields, textAt } from '../shape/json.js';
import type { Usage } from '../reader.js';
import { readUsage } from '../answers/usage.js';

/** Reads a reply, a usage object, or an event of a stream (`message_start` carries the message, `message_delta` the usage). */
export function anthropicUsage(source: unknown): Usage | undefined {
  const holder = fieldsAt(source, 'message') ?? source;
  const usage = fieldsAt(holder, 'usage') ?? holder;
  const iterations = isFields(usage) ? usage.iterations : undefined;
  if (!Array.isArray(iterations) || iterations.length === 0) return readUsage(usage);
  // One call may hold a compaction and several samplings: the last of these saw the prompt as it is now.
  return readUsage(iterations.filter((one) => textAt(one, 'type') === 'message').at(-1));
}
