// What holds of the view in every format, on generated conversations that are compacted again and again, through the
// real WebAssembly. A format brings an adapter: how it writes a conversation, and what is an orphan in its own terms.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { memory, openSession, type Format, type Session } from 'compaction-governor';
import { script, type Script } from './script.js';

export interface Adapter<M extends object> {
  readonly format: Format<M>;
  build(script: Script): M[];
  /** A summariser's reply as the provider sends it. */
  reply(text: string): unknown;
  isSystem(message: M): boolean;
  /** A user spoke: no result of a tool, no summary, nothing that this package made. */
  isUser(message: M): boolean;
  /** What a provider would refuse in `view` and would not have refused in `source`. */
  faults(view: readonly M[], source: readonly M[]): string[];
}

/** 5,000 conversations; `SEED` in the environment runs the same ones again. */
export function holds<M extends object>(adapter: Adapter<M>): void {
  test(`${adapter.format.name}: every view of ${CASES} conversations is whole, ordered and paired`, { timeout: 300_000 }, async (t) => {
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    t.diagnostic(`SEED=${seed}`);
    let compacted = 0;
    const property = fc.asyncProperty(script, async (script) => void (compacted += await converse(adapter, script)));
    await fc.assert(property, { numRuns: CASES, seed });
    assert.ok(compacted > CASES / 2, `only ${compacted} compactions in ${CASES} conversations`);
    t.diagnostic(`${compacted} compactions`);
  });
}

/** Plays one conversation and checks each view. How many compactions there were. */
async function converse<M extends object>(adapter: Adapter<M>, script: Script): Promise<number> {
  const summarize = async (): Promise<unknown> => adapter.reply('Goal: test with numbered texts. State: the earlier ones were answered. Next: go on.');
  const session = openSession<M>({ id: 'c', store: memory(), contextWindow: script.window, format: adapter.format, summarize });
  const all = adapter.build(script);
  const lengths = [...script.looks.map((share) => Math.ceil((all.length * share) / 100)), all.length].toSorted((a, b) => a - b);
  for (const length of lengths) {
    const source = all.slice(0, length);
    if (script.byHand) await session.compact(source);
    const step = await session.prepare(source);
    checkView(adapter, session, source, step.messages);
    await step.done({ promptTokens: Math.ceil(Buffer.byteLength(JSON.stringify(step.messages)) / 4) });
  }
  const passes = session.history().length;
  await session.close();
  return passes;
}

function checkView<M extends object>(adapter: Adapter<M>, session: Session<M>, source: readonly M[], sent: readonly M[]): void {
  const view = session.advanced.view(source);
  const bytes = JSON.stringify(view.messages);
  assert.equal(JSON.stringify(sent), bytes, 'what was sent is the view');
  assert.equal(JSON.stringify(session.advanced.view(structuredClone(source)).messages), bytes, 'equal inputs, equal bytes');
  checkWhole(session, source, session.advanced.view(source).messages);
  const users = source.filter(adapter.isUser);
  assert.equal(view.messages.findLast(adapter.isUser), users.at(-1), 'the newest user message is verbatim, and last of them');
  const shown = new Set(view.messages);
  assert.ok(source.filter(adapter.isSystem).every((message) => shown.has(message)), 'system messages stay');
  assert.deepEqual(adapter.faults(view.messages, source), []);
}

/** Each message is shown once and in order, or covered by the one summary. */
function checkWhole<M extends object>(session: Session<M>, source: readonly M[], view: readonly M[]): void {
  const places = new Map(source.map((message, index) => [message, index]));
  const made = view.filter((message) => !places.has(message));
  const shown = view.flatMap((message) => places.get(message) ?? []);
  assert.ok(shown.every((place, i) => i === 0 || place > (shown[i - 1] ?? 0)), 'once and in order');
  const covered = Math.max(0, ...session.history().map(({ coversEntries }) => coversEntries));
  const late = session.advanced.view(source).parts.flatMap((part) => (part.kind === 'placeholder' ? part.index : []));
  const kept = new Set([...shown, ...late]);
  for (let place = covered; place < source.length; place++) assert.ok(kept.has(place), `message ${place} of ${source.length} is lost; ${covered} are covered`);
  assert.equal(made.length, late.length + (covered > 0 ? 1 : 0), 'one summary, and a text for each late result');
  if (covered === 0) assert.equal(view.length, source.length);
}

/** Calls without their result, though the source has it, and results without their call, for formats with ids. */
export function orphans<M>(view: readonly M[], source: readonly M[], ids: (message: M) => { calls: string[]; results: string[] }): string[] {
  const known = new Set(source.flatMap((message) => ids(message).results));
  const shown = new Set(view.flatMap((message) => ids(message).results));
  const open = new Set<string>();
  const faults: string[] = [];
  for (const message of view) {
    const { calls, results } = ids(message);
    for (const id of results) if (!open.has(id)) faults.push(`result ${id} before or without its call`);
    for (const id of calls) {
      open.add(id);
      if (known.has(id) && !shown.has(id)) faults.push(`call ${id} without its result`);
    }
  }
  return faults;
}

const CASES = 5_000;
