// The estimator on this side of the boundary: short texts by a loop here, longer ones in the instance, both by one table.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { memory, openSession } from 'compaction-governor';
import { countedBy } from '../src/text/host-count.js';
import { estimate } from '../src/text/estimate.js';

const words = fc.array(fc.constantFrom('the ', 'index', '    ', '====', '中文', '👍', '0123', 'aB3', '\n', 'x'), { maxLength: 40 }).map((all) => all.join(''));

test('a text is counted at no more than its bytes, and at more than nothing', () => {
  fc.assert(
    fc.property(words, (text) => {
      const tokens = estimate(text);
      assert.ok(tokens <= Buffer.byteLength(text));
      assert.ok(tokens > 0 || text === '');
    }),
  );
});

test('what is appended never lowers a count, whichever side of the boundary it falls on', () => {
  fc.assert(
    fc.property(words, (text) => {
      let last = 0;
      let grown = '';
      for (const added of text) {
        grown += added;
        assert.ok(estimate(grown) >= last, JSON.stringify(grown));
        last = estimate(grown);
      }
    }),
  );
});

test('English, code and Chinese are counted about as models count them', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['The quick brown fox jumps over the lazy dog, and the dog did not even look up from its dinner. '.repeat(20), 441],
    ['for (let i = 0; i < list.length; i++) total += list[i].price * list[i].count;\n'.repeat(20), 460],
    ['今天天气很好，我们一起去公园散步吧。'.repeat(50), 600],
  ];
  for (const [text, tokens] of cases) assert.ok(Math.abs(estimate(text) / tokens - 1) < 0.3, `${text.slice(0, 20)}: ${estimate(text)} for ${tokens}`);
});

test('a text longer than the buffer is counted in parts, to about the sum of them', () => {
  const part = 'A line of a log, with numbers 12345 and words.\n';
  assert.ok(Math.abs(estimate(part.repeat(2_000)) / (2_000 * estimate(part)) - 1) < 0.1);
});

test("a host's own tokenizer counts what triggers, and is given at most 8,192 characters", async () => {
  let longest = 0;
  const countTokens = (text: string): number => {
    longest = Math.max(longest, text.length);
    return text.length;
  };
  const session = openSession({ id: 'counted', store: memory(), contextWindow: 100_000, countTokens });
  await session.ready;
  session.advanced.observe([{ role: 'user', content: 'word '.repeat(16_000) }]);
  assert.equal(longest, 8_192);
  const used = session.explain().usedTokens ?? 0;
  assert.ok(used > 79_000 && used < 81_000, String(used));
  await session.close();
});

test('a tokenizer that throws or answers nonsense leaves the estimate', () => {
  const broken = [
    () => {
      throw new Error('no');
    },
    () => Number.NaN,
    () => -1,
    () => Number.POSITIVE_INFINITY,
  ];
  for (const countTokens of broken) assert.equal(countedBy(countTokens, estimate)('some words'), estimate('some words'));
});
