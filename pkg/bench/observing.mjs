// What reading a message once costs, its fingerprint included; AI SDK's conversion of the same messages beside it; and
// what an entry takes in WASM.
import { readFileSync } from 'node:fs';
import { convertToModelMessages } from 'ai';
import { aiSdkUi } from '../dist/formats.js';
import { memory, openSession } from '../dist/index.js';
import * as glue from '../dist/wasm/compaction_governor.js';
import { conversation } from './lib/conversation.mjs';
import { alternate, shown, write } from './lib/measure.mjs';

const SIZES = [100, 10_000, 100_000];
const BYTES = 1_200;
const GOAL_NS = 4_000;
const GOAL_BYTES = 32;
/** Messages read in one sample, so that short conversations are measured as long as others. */
const LEAST_READ = 10_000;
const SIDE_BY_SIDE = 10_000;
const ALONE = 0xffff_ffff;

const roleOf = (number) => (number % 2 ? 'assistant' : 'user');
const chat = (number, content) => ({ role: roleOf(number), content });
const plainUi = (number, text) => ({ id: `m${number}`, role: roleOf(number), parts: [{ type: 'text', text }] });

/** Every second message says a little and reads a file; together it is as long as the others. */
function toolUi(number, text) {
  if (number % 2 === 0) return plainUi(number, text);
  const call = { type: 'tool-read', toolCallId: `call_${number}`, state: 'output-available', input: { path: `src/part_${number}.rs` }, output: text.slice(120) };
  return { id: `m${number}`, role: 'assistant', parts: [{ type: 'text', text: text.slice(0, 120) }, call] };
}

async function opened(id, format) {
  const session = openSession({ id, store: memory(), contextWindow: 100_000_000, ...(format && { format }) });
  await session.ready;
  return session;
}

/** Reads all of `messages` as new ones. */
function anew(session, messages) {
  session.advanced.observe([]);
  session.advanced.observe(messages);
}

async function byLength() {
  const all = conversation(SIZES.at(-1), BYTES, chat);
  const session = await opened('chat');
  const jobs = SIZES.map((size) => {
    const messages = all.slice(0, size);
    const times = Math.ceil(LEAST_READ / size);
    return [size, () => { for (let i = 0; i < times; i++) anew(session, messages); }];
  });
  const taken = await alternate(Object.fromEntries(jobs));
  return SIZES.map((size) => ['one of so many new messages', size, taken[size] / Math.max(size, LEAST_READ), GOAL_NS]);
}

/** The goal of a conversation read anew is what AI SDK's conversion takes; the conversion has none. */
async function besideAiSdk(what, message) {
  const messages = conversation(SIDE_BY_SIDE, BYTES, message);
  const session = await opened(what, aiSdkUi);
  const following = await opened(`${what}, following`, aiSdkUi);
  following.advanced.observe(messages);
  const taken = await alternate({
    convert: () => convertToModelMessages(messages),
    read: () => anew(session, messages),
    follow: () => following.advanced.observe(messages),
  });
  const each = (ns) => ns / SIDE_BY_SIDE;
  return [
    [`${what}: convertToModelMessages`, SIDE_BY_SIDE, each(taken.convert), undefined],
    [`${what}: read anew`, SIDE_BY_SIDE, each(taken.read), each(taken.convert)],
    [`${what}: seen before`, SIDE_BY_SIDE, each(taken.follow), each(taken.convert)],
  ];
}

/** By how much WASM's memory grows, over what the smaller transcript took; the allocator's own share is in it. */
async function bytesPerEntry() {
  const { memory: pages } = glue.initSync({ module: readFileSync(new URL('../dist/wasm/compaction_governor_bg.wasm', import.meta.url)) });
  const core = new glue.Core('core', glue.StoreHandle.memory(), new glue.CoreSettings(), 1, 2);
  await core.open(Date.now());
  const [, from, to] = SIZES;
  let before = 0;
  for (let i = 0; i < to; i++) {
    if (i === from) before = pages.buffer.byteLength;
    core.push(i, 7, i % 2 ? 2 : 1, 0, 350, ALONE, 0, BYTES);
  }
  return (pages.buffer.byteLength - before) / (to - from);
}

const measured = [...(await byLength()), ...(await besideAiSdk('UI text', plainUi)), ...(await besideAiSdk('UI text and tools', toolUi))];
const rows = measured.map(([what, size, ns, goal]) => [what, size.toLocaleString('en'), shown(ns), goal === undefined ? '–' : shown(goal)]);
rows.push(['growth of WASM memory', '100,000', `${(await bytesPerEntry()).toFixed(1)} bytes`, `${GOAL_BYTES} bytes`]);
write({ title: 'Observing: CPU time per message of 1.2 KB, median, Node, and memory per entry', columns: ['what', 'messages', 'measured', 'goal'], rows });
