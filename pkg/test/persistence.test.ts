// The one polite request to keep the storage, and what is shown of its answer.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { askToPersist, isPersisted, storageReport } from '../src/session/persistence.js';

const asked: string[] = [];

function pretend(manager: object | undefined, page = true): void {
  asked.length = 0;
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: manager && { storage: manager } });
  Object.defineProperty(globalThis, 'document', { configurable: true, value: page ? {} : undefined });
}

afterEach(() => pretend(undefined, false));

const manager = {
  persisted: async () => false,
  async persist() {
    asked.push('persist');
    return this === manager;
  },
  estimate: async () => ({ usage: 7, quota: 10 * 2 ** 30 }),
};

test('a runtime without a storage manager is asked nothing and says nothing', async () => {
  pretend(undefined);
  assert.deepEqual([await isPersisted(), await storageReport()], [undefined, {}]);
});

test('a worker never asks', async () => {
  pretend(manager, false);
  assert.deepEqual([await askToPersist(), asked], [false, []]);
});

test('a manager that throws or answers nonsense is no answer', async () => {
  pretend({ persisted: () => { throw new Error('denied'); }, estimate: async () => ({ usage: '7', quota: -1 }) });
  assert.deepEqual(await storageReport(), {});
});

test('a page asks once however often it is told to', async () => {
  pretend(manager);
  assert.deepEqual(await Promise.all([askToPersist(), askToPersist()]), [true, true]);
  assert.equal(await askToPersist(), true);
  assert.deepEqual(asked, ['persist']);
  assert.deepEqual(await storageReport(), { usage: 7, quota: 10 * 2 ** 30, persisted: false });
});
