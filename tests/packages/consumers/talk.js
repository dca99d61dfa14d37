// What every consumer does: opens a session, compacts once, closes it, opens it again and reads the summary back.
export async function talk({ indexedDb, memory, openSession }) {
  const store = typeof indexedDB === 'undefined' ? memory() : indexedDb({ name: `consumer-${Math.random()}` });
  const summarize = async () => 'Goal: count the entries. Done: eleven of them were read. Open: the twelfth.';
  const open = () => openSession({ id: 'consumer', store, contextWindow: 4_096, summarize });
  const messages = Array.from({ length: 32 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `${i} `.padEnd(700, 'entry ') }));
  const session = open();
  const step = await session.prepare(messages);
  if (!step.compacted || step.messages.length >= messages.length) throw new Error(step.decision.sentence);
  await session.close();
  const again = open();
  const { found } = await again.ready;
  const summary = again.history()[0]?.summary;
  await again.close();
  return `${found}: ${summary}`;
}
