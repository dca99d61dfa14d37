// Whole chats: listed, deleted, and carried from a page to a server. No session has to be open.
import { sessions, type Store } from 'compaction-governor';

/** For a chat list, newest first. What this release cannot read has no time, and can be deleted all the same. */
export async function listChats(store: Store) {
  const chats = [];
  for await (const chat of sessions(store).list()) chats.push(chat);
  return chats.sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0));
}

/** The user deletes a chat: nothing of it is left in the store. */
export function deleteChat(store: Store, id: string): Promise<void> {
  return sessions(store).remove(id);
}

/** In the page. The bytes hold the summary's text: treat them as you treat the messages. */
export async function upload(store: Store, id: string, put: (bytes: Uint8Array) => Promise<void>): Promise<void> {
  await put(await sessions(store).export(id));
}

/** On the server: summary, history, pins and guards are there as they were. */
export function receive(store: Store, bytes: Uint8Array): Promise<void> {
  return sessions(store).import(bytes);
}
