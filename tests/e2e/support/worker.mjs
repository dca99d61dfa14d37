// A worker with a session: there is no localStorage here.
import { Chat } from './bare-chat.mjs';
import { indexedDb, localStorageStore } from '../package/index.js';

const stores = { localStorage: localStorageStore, indexedDb };

onmessage = async ({ data: { store, kept, turns } }) => {
  const chat = new Chat('in a worker', stores[store](), kept);
  const opened = await chat.session.ready;
  await chat.play(turns);
  await chat.ask();
  const error = await chat.session.advanced.records().then(() => undefined, ({ code, applied }) => ({ code, applied }));
  postMessage({ opened, turns: chat.kept.turns, durability: chat.session.getSnapshot().durability, error, decision: chat.session.explain().action, summaries: chat.summaries });
};
