// The memory of a long session: what a pass takes is given back and taken again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import bytes from '../src/boundary/bytes.js';
import { Core, CoreSettings, StoreHandle, initSync } from '../src/boundary/glue.js';
import { memoryOf } from './memory.js';

const PASSES = 1_000;
const SETTLED = 100;
const ENTRIES_PER_PASS = 40;
const TOKENS = 500;
const ALONE = 0xffff_ffff;
const STEP_MS = 600_000;
/** What a thousand passes may add: their entries, of at most 32 bytes each, in a list that doubles. */
const GROWTH_BYTES = PASSES * ENTRIES_PER_PASS * 32 * 2;

test('a thousand passes over texts of every length take no more memory than their entries', async () => {
  const size = memoryOf(initSync({ module: bytes }));
  const { core, pass } = newSession();
  for (let round = 0; round < SETTLED; round++) await pass(round);
  const settled = size();
  for (let round = SETTLED; round < PASSES; round++) await pass(round);
  const grown = size() - settled;
  assert.ok(grown <= GROWTH_BYTES, `${grown} bytes in ${PASSES - SETTLED} passes`);
  core.free();
});

function newSession(): { core: Core; pass: (round: number) => Promise<void> } {
  const settings = new CoreSettings();
  settings.setWindow(16_384);
  const core = new Core('heap', StoreHandle.memory(), settings, 1, 1);
  let [now, length, id] = [1_000_000, 7, 0];
  const pass = async (round: number): Promise<void> => {
    now += STEP_MS;
    for (let i = 0; i < ENTRIES_PER_PASS; i++) core.push(++id, round, i % 2 ? 2 : 1, 0, TOKENS, ALONE, 0, 4 * TOKENS);
    const plan = await core.claim('manual', now);
    if ('refused' in plan) throw new Error(`pass ${round}: ${plan.refused.sentence}`);
    const texts = Array.from({ length: plan.entries }, () => 'word '.repeat((length = (length * 16_807) % 2_147_483_647) % 900));
    let end = 0;
    const offsets = Uint32Array.of(0, ...texts.map((text) => (end += text.length)));
    core.request(plan.compactionId, texts.join(''), offsets, undefined, undefined, 0, 0, -1, 0, 0, now);
    const words = Array.from({ length: 20 + (length % 150) }, (_, i) => (((length + i) * 2_654_435_761) >>> 0).toString(36));
    const committed = await core.commit(plan.compactionId, `Round ${round}: ${words.join(' ')}`, 'stop', now, texts.join(''), offsets, '');
    assert.equal(committed.status, 'committed', JSON.stringify(committed));
    await core.reportUsage(1_000, core.viewRevision(), now, core.entryCount(), now);
    core.drainEvents();
  };
  return { core, pass };
}
