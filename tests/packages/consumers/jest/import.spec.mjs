import * as governor from 'compaction-governor';
import { talk } from './talk.mjs';

test('a session is compacted once and read back', async () => {
  expect(await talk(governor)).toBe(process.env.EXPECTED);
});
