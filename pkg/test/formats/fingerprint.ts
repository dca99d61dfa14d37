// What tests of readers compare.

import assert from 'node:assert/strict';
import type { Reader, Reading } from '../../src/formats/reader.js';

/** The fingerprint of `message` as sixteen hex digits. */
export function fingerprint(reader: Pick<Reader<never>, 'message'>, message: unknown): string {
  const { hi, lo } = reader.message(message);
  return [hi, lo].map((word) => word.toString(16).padStart(8, '0')).join('');
}

/** Both readings are the same in all but `different`. */
export function sameButFor(a: Reading, b: Reading, different: readonly (keyof Reading)[]): void {
  const kept = (reading: Reading) => Object.entries(reading).filter(([key]) => !different.some((other) => other === key));
  assert.deepEqual(kept(a), kept(b));
}
