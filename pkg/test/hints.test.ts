import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { announceRemoval, Hints } from '../src/session/hints.js';

/** A tab at this revision, and what it was asked to look at. */
function tab(revision: number, scope: string | null = 'indexed_db x/chat') {
  const refreshed: true[] = [];
  const state = { revision };
  const hints = new Hints(scope ?? undefined, { revision: () => state.revision, refresh: () => refreshed.push(true) });
  return { hints, refreshed, state };
}

/** Real channels deliver in order: what was sent before a message of our own has come when that has. */
async function heard(scope = 'indexed_db x/chat'): Promise<void> {
  const [sender, receiver] = [new BroadcastChannel(`compaction-governor/${scope}`), new BroadcastChannel(`compaction-governor/${scope}`)];
  await new Promise<void>((resolve) => {
    receiver.onmessage = ({ data }: { data: unknown }) => data === 'end' && setTimeout(resolve, 5);
    sender.postMessage('end');
  });
  sender.close();
  receiver.close();
}

function replaced(name: string, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  after(() => Object.defineProperty(globalThis, name, before ?? { value: undefined, configurable: true }));
}

test('a newer revision makes other tabs of the session look, once each, and nobody else', async () => {
  const [one, two, ahead, elsewhere, alone] = [tab(4), tab(3), tab(9), tab(3, 'indexed_db x/other'), tab(3, null)];
  one.hints.announce(4);
  alone.hints.announce(9);
  await heard();
  assert.deepEqual([one, two, ahead, elsewhere, alone].map(({ refreshed }) => refreshed), [[], [true], [], [], []]);
  announceRemoval('indexed_db x/chat');
  await heard();
  assert.deepEqual([one.refreshed, two.refreshed, elsewhere.refreshed], [[true], [true, true], []]);
  for (const { hints } of [one, two, ahead, elsewhere, alone]) hints.close();
});

test('a closed session hears nothing, and says nothing', async () => {
  const [one, two] = [tab(1), tab(1)];
  two.hints.close();
  one.hints.announce(5);
  two.hints.announce(6);
  await heard();
  assert.deepEqual([one.refreshed, two.refreshed], [[], []]);
  one.hints.close();
});

test('what is no message of ours is not listened to', async () => {
  const one = tab(1);
  const channel = new BroadcastChannel('compaction-governor/indexed_db x/chat');
  for (const message of [null, 'revision', { revision: '9' }, { revision: Number.NaN }, { revision: -1 }, {}]) channel.postMessage(message);
  await heard();
  assert.deepEqual(one.refreshed, []);
  channel.close();
  one.hints.close();
});

for (const [how, made] of Object.entries<unknown>({
  'is absent': undefined,
  'is no class': 7,
  throws: class { constructor() { throw new DOMException('denied', 'SecurityError'); } },
  'cannot send': class { addEventListener() {} removeEventListener() {} postMessage() { throw new Error('full'); } close() { throw new Error('gone'); } },
})) {
  test(`without hints all goes on: a channel that ${how}`, () => {
    replaced('BroadcastChannel', made);
    const one = tab(1);
    one.hints.announce(5);
    announceRemoval('indexed_db x/chat');
    one.hints.close();
  });
}

test('a page that comes back, and a tab that is shown, look at the store; going away asks for nothing', () => {
  const host = new EventTarget();
  const document = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
  replaced('document', document);
  replaced('addEventListener', host.addEventListener.bind(host));
  replaced('removeEventListener', host.removeEventListener.bind(host));
  const one = tab(1);
  document.dispatchEvent(new Event('visibilitychange'));
  host.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }));
  assert.equal(one.refreshed.length, 0);
  document.visibilityState = 'visible';
  document.dispatchEvent(new Event('visibilitychange'));
  host.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  assert.deepEqual(one.refreshed, [true, true]);
  one.hints.close();
  document.dispatchEvent(new Event('visibilitychange'));
  host.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  assert.equal(one.refreshed.length, 2);
});

test('an open channel does not keep the process alive', () => {
  const ports = () => process.getActiveResourcesInfo().filter((kind) => kind === 'MessagePort').length;
  const before = ports();
  const { hints } = tab(1);
  assert.equal(ports(), before);
  hints.close();
});
