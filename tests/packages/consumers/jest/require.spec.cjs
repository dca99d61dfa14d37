const governor = require('compaction-governor');
const { talk } = require('./talk.cjs');

test('a session is compacted once and read back', async () => {
  expect(await talk(governor)).toBe(process.env.EXPECTED);
});
