import * as governor from 'compaction-governor';
import { expect, test } from 'vitest';
import { talk } from './talk.js';

test('a session is compacted once and read back', async () => {
  expect(await talk(governor)).toBe(process.env.EXPECTED);
});
