import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Decision } from 'compaction-governor';
import type { ClaimKind, PlanDto } from '../src/boundary/glue.js';
import { claim, type Claimant } from '../src/session/claim.js';
import { Others, SessionLock, type Locks } from '../src/session/locks.js';
import { LockManager } from './lock-manager.js';

const NUMBERS = { usedTokens: 9, thresholdTokens: 8, targetTokens: 4, windowTokens: 10, floorTokens: 1, confidence: 'reported', sentence: '' } as const;
const DUE: Decision = { ...NUMBERS, action: 'compact', trigger: 'threshold' };
const ELSEWHERE: Decision = { ...NUMBERS, action: 'wait', reason: 'in_progress', retryAt: 5 };
const LOCKED: Decision = { ...NUMBERS, action: 'wait', reason: 'in_progress' };
const HOLD: Decision = { ...NUMBERS, action: 'hold', reason: 'below_threshold' };
const PLAN: PlanDto = { compactionId: 'c', trigger: 'threshold', means: 'model', material: [], from: 0, cut: 1, previous: false, entries: 1, tokens: 1, promisedTokens: 1, beforeTokens: 2, maxTokens: 1, deadline: 0 };

/** Lets everything run that waits for nothing but its turn. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

/** A tab that claims whenever it may, and what it told the core of others. */
function tab(locks: Locks | undefined, answers: (PlanDto | { refused: Decision })[] = []) {
  const lock = new SessionLock('indexed_db x/chat', () => locks);
  const asked: [ClaimKind, number | undefined][] = [];
  const claimant: Claimant = {
    lock,
    run: (operation) => operation(),
    turn: () => lock.take(),
    core: {
      claim: async (kind, _now, others) => {
        asked.push([kind, others]);
        return answers.shift() ?? (others === Others.working ? { refused: LOCKED } : PLAN);
      },
    },
  };
  const ask = (kind: ClaimKind | undefined, decision: Decision = DUE, going = false) => claim(claimant, kind, decision, going);
  return { lock, asked, ask };
}

test('who gets the lock claims alone, who does not claims nothing and does not wait, and the next may after the end', async () => {
  const locks = new LockManager();
  const [one, two] = [tab(locks), tab(locks)];
  const claimed = await one.ask('auto');
  assert.ok('turn' in claimed);
  const refused = await two.ask('auto');
  assert.deepEqual([refused, one.asked, two.asked], [{ refused: LOCKED }, [['auto', Others.idle]], [['auto', Others.working]]]);
  assert.equal(new Set(locks.names).size, 1);
  claimed.turn.release();
  await settled();
  assert.ok('turn' in (await two.ask('auto')));
});

test('of two tabs at once one claims', async () => {
  const locks = new LockManager();
  const claims = await Promise.all(Array.from({ length: 8 }, () => tab(locks).ask('auto')));
  assert.equal(claims.filter((one) => 'turn' in one).length, 1);
});

test('a refused claim and a claim that throws let go of the lock at once', async () => {
  const locks = new LockManager();
  assert.deepEqual(await tab(locks, [{ refused: HOLD }]).ask('auto'), { refused: HOLD });
  await settled();
  assert.equal(locks.held, 0);
  const broken = tab(locks);
  const lock = new SessionLock('s', () => locks);
  await assert.rejects(claim({ lock, run: (operation) => operation(), turn: () => lock.take(), core: { claim: () => Promise.reject(new Error('bug')) } }, 'auto', DUE, false), /bug/);
  await settled();
  assert.deepEqual([locks.held, broken.asked], [0, []]);
});

test('an attempt of another tab is looked into only where nobody holds the lock, and then claimed alone', async () => {
  const locks = new LockManager();
  const holder = new SessionLock('indexed_db x/chat', () => locks);
  const held = await holder.take();
  const waiting = tab(locks);
  assert.deepEqual([await waiting.ask(undefined, ELSEWHERE), waiting.asked], [{ refused: ELSEWHERE }, []]);
  assert.deepEqual([await waiting.ask(undefined, HOLD), locks.names.length], [{ refused: HOLD }, 2], 'nothing to look into');
  held.release();
  await settled();
  assert.deepEqual([await waiting.ask(undefined, ELSEWHERE, true), locks.names.length], [{ refused: ELSEWHERE }, 2], 'its own attempt');
  assert.ok('turn' in (await waiting.ask(undefined, ELSEWHERE)));
  assert.deepEqual(waiting.asked, [['auto', Others.idle]]);
});

test('without locks the store alone decides, and its running attempt stands', async () => {
  const alone = tab(undefined);
  assert.ok('turn' in (await alone.ask('auto')));
  assert.deepEqual(await alone.ask(undefined, ELSEWHERE), { refused: ELSEWHERE });
  assert.deepEqual(alone.asked, [['auto', Others.unknown]]);
  const nobodyElse = new SessionLock(undefined, () => assert.fail('asked for a store of this page alone'));
  const { others, failure } = await nobodyElse.take();
  assert.deepEqual([others, failure], [Others.unknown, undefined]);
});

for (const [how, request] of Object.entries<Locks['request']>({
  throws: () => { throw new DOMException('denied', 'SecurityError'); },
  rejects: () => Promise.reject(new DOMException('denied', 'SecurityError')),
})) {
  test(`a lock manager that ${how} lets nothing start by itself, and stands in nobody's way`, async () => {
    const failing = tab({ request });
    assert.deepEqual(await failing.ask('auto'), { refused: LOCKED });
    assert.ok('turn' in (await failing.ask('manual')));
    assert.ok('turn' in (await failing.ask('overflow')));
    assert.deepEqual(failing.asked, [['auto', Others.working], ['manual', Others.unknown], ['overflow', Others.unknown]]);
    assert.match(String((await failing.lock.take()).failure?.error), /denied/);
    failing.lock.whenFree(() => assert.fail('told'));
    await settled();
  });
}

test('a lock manager that never answers is given up, and a lock that it grants late is not kept', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  let grant: (lock: unknown) => unknown = () => undefined;
  const hanging = tab({ request: (_name, _options, granted) => new Promise(() => (grant = granted)) });
  const asked = hanging.ask('auto');
  await settled();
  context.mock.timers.tick(2_000);
  assert.deepEqual(await asked, { refused: LOCKED });
  assert.equal(grant({}), undefined);
});

test('a lock held for longer than any attempt, with none in the store, is taken away; one with an attempt is not', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  const locks = new LockManager();
  const frozen = await new SessionLock('indexed_db x/chat', () => locks).take();
  assert.equal(frozen.others, Others.idle);
  const waiting = tab(locks);
  await waiting.ask('auto');
  context.mock.timers.tick(599_999);
  assert.deepEqual(await waiting.ask('auto'), { refused: LOCKED });
  context.mock.timers.tick(1);
  const renewed = tab(locks, [{ refused: ELSEWHERE }]);
  await renewed.lock.take();
  context.mock.timers.tick(600_000);
  assert.deepEqual(await renewed.ask('auto'), { refused: ELSEWHERE }, 'somebody is at work');
  assert.ok('turn' in (await waiting.ask('auto')));
  assert.deepEqual(waiting.asked.at(-1), ['auto', Others.idle]);
  frozen.release();
  await settled();
  assert.equal(locks.held, 1, 'what was stolen is not given back');
});

test('a tab that waits is told once that the lock is free, whether its holder ended or died, and closing ends the wait', async () => {
  const locks = new LockManager();
  const holder = new SessionLock('indexed_db x/chat', () => locks);
  const { lock } = tab(locks);
  let told = 0;
  const held = await holder.take();
  lock.whenFree(() => told++);
  lock.whenFree(() => told++);
  assert.equal(locks.waiting, 1);
  held.release();
  await settled();
  assert.deepEqual([told, locks.held], [1, 0]);
  await holder.take();
  lock.whenFree(() => told++);
  locks.crash(locks.names[0] ?? '');
  await settled();
  assert.deepEqual([told, locks.held], [2, 0]);
  await holder.take();
  lock.whenFree(() => told++);
  lock.close();
  await settled();
  assert.deepEqual([told, locks.waiting], [2, 0]);
});

test('closing lets go of what is held', async () => {
  const locks = new LockManager();
  const { lock } = tab(locks);
  const turn = await lock.take();
  lock.close();
  await settled();
  assert.equal(locks.held, 0);
  turn.release();
});

test('a lock on its way back to the browser is not taken for one of another tab', async () => {
  const inner = new LockManager();
  // A browser hears of the release a while later: within one task it would look as if somebody else were at work.
  const slow: Locks = {
    request: (name, options, granted) => inner.request(name, options, async (lock) => {
      const result = await granted(lock);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return result;
    }),
  };
  const one = tab(slow);
  for (let pass = 0; pass < 3; pass += 1) {
    const claimed = await one.ask('auto');
    assert.ok('turn' in claimed, `pass ${pass}`);
    claimed.turn.release();
  }
});
