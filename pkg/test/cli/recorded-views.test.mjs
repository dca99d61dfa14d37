// Every recording through the real engine: passes at three windows, by itself and by hand, and a cut forced at every
// boundary. After each step the view is held against the recording's own entries by a checker that shares nothing with the
// engine's. The recordings lie beside the repository, or where GOVERNOR_RECORDINGS says; conversations made up in the same
// shapes are always run.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { Core, CoreSettings, StoreHandle, initSync } from '../../dist/wasm/compaction_governor.js';
import { chat, claude, filler, lines, pi, say, use, withFile } from './fixtures.mjs';
import { codex, kimi } from './formats.mjs';
import { load } from './load.mjs';

const { recognise } = await load('read/recognise.ts');
const { scriptedSummary } = await load('summariser.ts');
const { Role, Flag } = await load('trace.ts');
initSync({ module: readFileSync(new URL('../../dist/wasm/compaction_governor_bg.wasm', import.meta.url)) });

const beside = fileURLToPath(new URL('../../../../shared/transcripts/dev/', import.meta.url));
const folder = process.env.GOVERNOR_RECORDINGS === undefined ? beside : join(process.env.GOVERNOR_RECORDINGS, '/');

const RECORDED = [
  'pi-session-two-compactions.jsonl', 'claude-code-auto-compaction.jsonl', 'claude-code-image-and-compaction.jsonl', 'claude-code-subagent-sidechain.jsonl',
  'codex-rollout-2026-05.jsonl', 'codex-rollout-schema-census.jsonl', 'gemini-cli-chat-2026-01.json', 'gemini-cli-chat-info-zero-usage.json',
  'kimi-wire-manual-compaction.jsonl', 'anthropic-api-server-compaction.json', 'anthropic-api-image-in-tool-result.json',
  'openai-responses-compact-endpoint-chain.json', 'openai-responses-context-management.json', 'openai-responses-image-in-tool-output.json',
  'gemini-api-image-in-function-response.json', 'openai-chat-image-after-tool-result.json', 'openai-chat-requests-anthropic-tools.jsonl',
  'openhands-eval-output.jsonl', 'swe-agent-function-calling.traj', 'tau-bench-airline-gpt4o.json', 'langchain-thread-zh.json',
  'aider-chat-history.md', 'sharegpt-toolcall-zh.json', 'tanstack-uimessages.json', 'ai-sdk-uimessages-assembled.json',
];

for (const file of RECORDED) {
  const skip = existsSync(folder + file) ? false : `there is no recording ${folder}${file}`;
  test(`views_of_${file}_are_valid_at_every_window`, { skip }, async (t) => await atEveryWindow(t, await conversationsOf(folder + file)));
  test(`views_of_${file}_are_valid_at_every_forced_cut`, { skip }, async (t) => await atEveryCut(t, await conversationsOf(folder + file)));
}

for (const [name, content] of Object.entries(madeUp())) {
  test(`views_of_made_up_${name}_are_valid_at_every_window_and_forced_cut`, async (t) => {
    const conversations = await withFile(content, conversationsOf);
    const { auto, overflow, manual, cleared, views } = await atEveryWindow(t, conversations);
    const cuts = await atEveryCut(t, conversations);
    assert.ok(Math.min(auto, manual, cleared) > 0, 'passes are made by itself and by hand, and results cleared');
    assert.ok(cuts.different > 40, `only ${cuts.different} different cuts`);
    if (name !== 'chat') return;
    assert.ok(overflow > 0, 'a prompt does not fit');
    for (const kind of [LATE, CLEARED, CAPPED]) assert.ok(views[kind] + cuts.views[kind] > 0, `no view shows anything as ${kind}`);
  });
}

test('the_checker_names_each_fault_of_a_view', () => {
  const [system, user, call, result, answer] = [0, 1, 2, 3, 2].map((role, at) => ({ role, flags: [0, 0, Flag.call, Flag.result, 0][at], group: at === 3 ? 2 : at }));
  const entries = [system, user, call, result, { ...user, group: 4 }, { ...answer, group: 5 }];
  const faults = (covered, ...triples) => faultsOf(Uint32Array.from(triples.flat()), entries, covered);
  assert.deepEqual(faults(0, [0, 0, 6]), []);
  assert.deepEqual(faults(4, [0, 0, 1], [1, 0, 0], [0, 4, 6]), []);
  assert.deepEqual(faults(3, [0, 0, 1], [1, 0, 0], [2, 3, 0], [4, 4, 9], [0, 5, 6]), []);
  assert.deepEqual(faults(0, [0, 0, 5]), ['entry 5 is neither shown nor covered']);
  assert.deepEqual(faults(4, [0, 0, 1], [0, 4, 6]), ['0 summaries for 4 covered entries']);
  assert.deepEqual(faults(4, [1, 0, 0], [0, 0, 1], [0, 4, 6]), ['the summary stands at 0, and 1 system entries lead']);
  assert.deepEqual(faults(0, [0, 0, 6], [0, 5, 6]), ['entry 5 comes behind 5']);
  assert.deepEqual(faults(0, [0, 0, 6], [0, 6, 7]), ['part 0 of entry 6, of 6']);
  assert.deepEqual(faults(3, [0, 0, 1], [1, 0, 0], [0, 3, 6]), ['result 3 without its call 2']);
  assert.deepEqual(faults(4, [0, 0, 1], [1, 0, 0], [0, 2, 3], [0, 4, 6]), ['call 2 without its result 3']);
  assert.deepEqual(faults(0, [0, 0, 3], [2, 3, 0], [0, 4, 6]), ['result 3 is late, and its call 2 is shown']);
  assert.deepEqual(faults(4, [1, 0, 0], [0, 4, 6]), ['the summary stands at 0, and 1 system entries lead', 'system entry 0 is shown as undefined']);
  assert.deepEqual(faults(5, [0, 0, 1], [1, 0, 0], [0, 5, 6]), ['the newest user entry is 4, the last that is shown undefined']);
  assert.deepEqual(faults(0, [0, 0, 1], [4, 1, 9], [0, 2, 6]), ['user entry 1 is shown as 4']);
  assert.deepEqual(faults(0, [0, 0, 4], [3, 4, 0], [0, 5, 6]), ['user entry 4 is shown as 3']);
});

test('every_recording_is_named_above', { skip: existsSync(folder) ? false : `there are no recordings in ${folder}` }, () => {
  assert.deepEqual(readdirSync(folder).toSorted(), [...RECORDED, 'INDEX.md'].toSorted());
});

/** The entries of each conversation of a file, as they stand at its end. */
async function conversationsOf(path) {
  const found = await recognise(path);
  assert.ok(!('unknown' in found), found.unknown);
  const conversations = [];
  for await (const [step] of found.steps) {
    if (step.kind === 'session') conversations.push([]);
    if (step.kind === 'rewind') conversations.at(-1).length = Math.min(conversations.at(-1).length, step.entries);
    if (step.kind === 'entry') conversations.at(-1).push(step.entry);
  }
  assert.ok(conversations.some((entries) => entries.length > 0), 'there is something to look at');
  return conversations;
}

/** The conversation comes in stages; at each, passes are made until one is refused: by itself and where a prompt does not fit, or by hand. */
async function atEveryWindow(t, conversations) {
  const count = noneYet();
  for (const window of WINDOWS) {
    for (const kinds of [['auto', 'overflow'], ['manual']]) {
      for (const entries of conversations) await inStages(await Played.open(entries, window, count), kinds, entries.length);
    }
  }
  t.diagnostic(`${count.auto} passes by itself, ${count.overflow} of prompts that do not fit, ${count.manual} by hand, ${count.cleared} clearings; ${told(count)}`);
  return count;
}

async function inStages(session, kinds, length) {
  const stages = Math.min(length, STAGES);
  for (let stage = 1; stage <= stages; stage += 1) {
    session.push(Math.ceil((length * stage) / stages));
    session.check();
    await session.call();
    for (const kind of kinds) await untilRefused(session, kind);
  }
  session.end();
}

async function untilRefused(session, kind) {
  for (let tries = 1; (await session.pass(kind)) !== 'refused'; tries += 1) {
    assert.ok(tries < MOST_PASSES, 'a conversation that stands still is compacted again and again');
    await session.call();
  }
}

/** Keeping 1, 2, 3 … entries of the whole conversation; and cutting behind its first 1, 2, 3 …, before the rest comes. */
async function atEveryCut(t, conversations) {
  const count = noneYet();
  const places = Math.ceil(MOST_CUTS / conversations.length);
  let [asked, different] = [0, 0];
  for (const entries of conversations) {
    const reached = new Set();
    for (const place of sample(entries.length, places)) {
      asked += 1;
      reached.add(await cutOnce(entries, entries.length, place, count));
      reached.add(await cutOnce(entries, place, 0, count));
    }
    reached.delete(0);
    different += reached.size;
  }
  t.diagnostic(`${asked} of ${conversations.reduce((sum, { length }) => sum + length, 0)} places asked for, ${different} different cuts; ${told(count)}`);
  return { ...count, different };
}

/** Where the cut came to lie: no group is parted, and no slice of a few words made. */
async function cutOnce(entries, length, keep, count) {
  const session = await Played.open(entries, UNLIMITED, count, keep);
  session.push(length);
  await session.pass('manual');
  session.push(entries.length);
  session.check();
  session.end();
  return session.covered;
}

/** Views by what they show: by the kind of a part, how many have one. */
const noneYet = () => ({ auto: 0, overflow: 0, manual: 0, cleared: 0, checked: 0, views: [0, 0, 0, 0, 0] });

function told({ checked, views }) {
  return `${checked} views, of which ${views[SUMMARY]} with a summary, ${views[LATE]} with a late result, ${views[CLEARED]} with a cleared and ${views[CAPPED]} with a cut entry`;
}

/** At most `most` of 1..n, evenly. */
function sample(n, most) {
  const size = Math.min(n, most);
  return Array.from({ length: size }, (_, i) => Math.floor(((i + 1) * n) / size));
}

/** A conversation in a session of the engine, and what the checker knows of it without asking the engine. */
class Played {
  #entries;
  #core;
  #window;
  #pushed = 0;
  #now = START;
  #count;
  /** Entries that the last committed plan covered. */
  covered = 0;

  constructor(entries, core, window, count) {
    this.#entries = entries;
    this.#core = core;
    this.#window = window;
    this.#count = count;
  }

  static async open(entries, window, count, keep) {
    const settings = new CoreSettings();
    settings.setWindow(window);
    if (keep !== undefined) settings.setKeep(keep, 0);
    const core = new Core('recorded', StoreHandle.memory(), settings, 1, 1);
    await core.open(START);
    return new Played(entries, core, window, count);
  }

  push(length) {
    for (const { idHash, role, flags, tokens, group, calls, bytes, mediaBytes } of this.#entries.slice(this.#pushed, length)) {
      this.#core.push(...idHash, role, flags, tokens, group, Math.min(calls, 255), bytes + mediaBytes);
    }
    this.#pushed = Math.max(this.#pushed, length);
  }

  /** A model call with the view as it stands. A prompt that does not fit has no usage. */
  async call() {
    this.#now += HOUR_MS;
    if (this.#fits()) await this.#core.reportUsage(this.#prompt(), this.#core.viewRevision(), this.#now, this.#pushed, this.#now);
  }

  /** Long after the last one, so that nothing cools down; the view is checked whatever comes of it. */
  async pass(kind) {
    this.#now += HOUR_MS;
    if (kind === 'overflow' && !(await this.#overflows())) return 'refused';
    const plan = await this.#core.claim(kind, this.#now);
    const outcome = 'refused' in plan ? this.#uncommitted(plan) : await this.#commit(kind, plan);
    this.check();
    return outcome;
  }

  /** As a provider refuses it. */
  async #overflows() {
    if (this.#fits()) return false;
    const { decision } = await this.#core.overflow(this.#core.viewRevision(), this.#window, this.#now);
    return decision.action === 'compact';
  }

  #fits() {
    return this.#prompt() <= this.#window;
  }

  /** The provider counts as the engine does. */
  #prompt() {
    return this.#core.viewTokens();
  }

  #uncommitted({ prunedTokens }) {
    if (prunedTokens === undefined) return 'refused';
    this.#count.cleared += 1;
    return 'cleared';
  }

  async #commit(kind, { compactionId, means, tokens, maxTokens, entries, cut }) {
    const offsets = new Uint32Array(entries + 1);
    const done = means === 'model'
      ? await this.#core.commit(compactionId, scriptedSummary(tokens, maxTokens), 'stop', this.#now, '', offsets, '')
      : await this.#core.commitFallback(compactionId, '', offsets, this.#now);
    assert.equal(done.status, 'committed', JSON.stringify(done));
    this.covered = cut;
    this.#count[kind] += 1;
    return 'committed';
  }

  check() {
    const view = this.#core.view();
    assert.deepEqual(faultsOf(view, this.#entries.slice(0, this.#pushed), this.covered), []);
    this.#count.checked += 1;
    for (const kind of new Set(view.filter((_, i) => i % 3 === 0))) this.#count.views[kind] += 1;
  }

  end() {
    this.#core.free();
  }
}

/** Everything wrong with a view, in words. `triples` as the boundary has them; `covered` entries have a summary. */
function faultsOf(triples, entries, covered) {
  const shown = shownIn(triples);
  const kinds = new Map(shown.map(({ entry, kind }) => [entry, kind]));
  return [
    ...summaryFaults(shown, entries, covered),
    ...orderFaults(shown.filter(({ kind }) => kind !== SUMMARY), entries.length),
    ...entries.flatMap((_, at) => (kinds.has(at) || at < covered ? [] : [`entry ${at} is neither shown nor covered`])),
    ...pairFaults(kinds, entries, covered),
    ...staying(kinds, entries),
  ];
}

/** Each shown entry, in order; the summary stands for none. */
function shownIn(triples) {
  const shown = [];
  for (let i = 0; i < triples.length; i += 3) {
    const [kind, from, to] = triples.subarray(i, i + 3);
    if (kind === VERBATIM) for (let entry = from; entry < to; entry += 1) shown.push({ kind, entry });
    else shown.push({ kind, entry: kind === SUMMARY ? -1 : from });
  }
  return shown;
}

/** One, where something is covered, behind the system entries that the conversation begins with and nothing else. */
function summaryFaults(shown, entries, covered) {
  const places = shown.flatMap(({ kind }, place) => (kind === SUMMARY ? [place] : []));
  if (places.length !== (covered > 0 ? 1 : 0)) return [`${places.length} summaries for ${covered} covered entries`];
  const head = entries.findIndex((entry) => !isSystem(entry));
  return covered > 0 && places[0] !== head ? [`the summary stands at ${places[0]}, and ${head} system entries lead`] : [];
}

function orderFaults(shown, length) {
  return shown.flatMap(({ entry, kind }, i) => {
    if (kind > CAPPED || entry >= length) return [`part ${kind} of entry ${entry}, of ${length}`];
    return i > 0 && entry <= shown[i - 1].entry ? [`entry ${entry} comes behind ${shown[i - 1].entry}`] : [];
  });
}

/** A result is sent as such with its call, or as plain text without; a call goes with every result that came. */
function pairFaults(kinds, entries, covered) {
  return entries.flatMap(({ flags, group }, at) => {
    if (!(flags & Flag.result) || group === at || !(entries[group].flags & Flag.call)) return [];
    const [call, result] = [kinds.get(group), kinds.get(at)];
    if (result === LATE) return call === undefined && group < covered ? [] : [`result ${at} is late, and its call ${group} is shown`];
    if ((call === undefined) === (result === undefined)) return [];
    return [call === undefined ? `result ${at} without its call ${group}` : `call ${group} without its result ${at}`];
  });
}

function staying(kinds, entries) {
  const users = entries.flatMap((entry, at) => (isUser(entry) ? [at] : []));
  const newest = users.at(-1);
  const last = users.findLast((at) => kinds.has(at));
  const faults = last === newest ? [] : [`the newest user entry is ${newest}, the last that is shown ${last}`];
  for (const [at, entry] of entries.entries()) {
    const kind = kinds.get(at);
    if (isSystem(entry) && kind !== VERBATIM) faults.push(`system entry ${at} is shown as ${kind}`);
    if (isUser(entry) && (kind === CLEARED || kind === LATE || (kind === CAPPED && at !== newest))) faults.push(`user entry ${at} is shown as ${kind}`);
    if (kind === LATE && !(entry.flags & Flag.result)) faults.push(`entry ${at} is no result, and late`);
  }
  return faults;
}

/** A summary that a host left behind may be summarised, in whatever role. */
function isSystem({ role, flags }) {
  return role === Role.system && !(flags & Flag.hostSummary);
}

function isUser({ role, flags }) {
  return role === Role.user && !(flags & (Flag.synthetic | Flag.result | Flag.hostSummary));
}

/** Long conversations with parallel, late and missing results, a second system entry, a summary left by a host and a giant result. */
function madeUp() {
  const c = claude();
  const turns = Array.from({ length: 30 }, (_, turn) => turn);
  return {
    chat: JSON.stringify([chat.system('be brief'), ...turns.flatMap(chatTurn)]),
    claude_code: lines(turns.flatMap((turn) => [
      c.user(turn * 60, `ask ${turn}`), c.answer(turn * 60 + 1, `a${turn}`, use(`s${turn}`), 900, 1), c.answer(turn * 60 + 1, `a${turn}`, use(`t${turn}`), 900, 1),
      c.result(turn * 60 + 3, `t${turn}`, filler(900 + turn)), c.result(turn * 60 + 2, `s${turn}`, filler(300 + turn)), c.answer(turn * 60 + 4, `b${turn}`, say(`said ${turn} ${filler(500)}`), 1_900, 1),
    ])),
    pi: lines([pi.session(), ...turns.flatMap((turn) => [
      pi.user(turn * 60, `ask ${turn} ${filler(100)}`), pi.answer(turn * 60 + 1, [pi.call(`s${turn}`), pi.call(`t${turn}`)], 900, 5),
      pi.result(turn * 60 + 2, `s${turn}`, filler(700 + turn)), ...(turn % 4 === 3 ? [] : [pi.result(turn * 60 + 3, `t${turn}`, filler(400 + turn))]),
      pi.answer(turn * 60 + 4, [say(`said ${turn} ${filler(500)}`)], 900, 5),
    ])]),
    codex: lines([codex.meta(), ...turns.flatMap((turn) => [
      codex.user(turn * 60, `ask ${turn}`), codex.think(turn * 60 + 1), codex.call(turn * 60 + 2, `t${turn}`), codex.result(turn * 60 + 3, `t${turn}`, filler(900 + turn)), codex.say(turn * 60 + 4, `said ${turn} ${filler(500)}`),
    ])]),
    kimi: lines([kimi.meta(), ...turns.flatMap((turn) => [
      kimi.message(turn * 60, `ask ${turn} ${filler(500)}`), kimi.request(turn * 60 + 1), kimi.call(turn * 60 + 2, `t${turn}`), kimi.result(turn * 60 + 3, `t${turn}`, filler(600 + turn)), kimi.end(turn * 60 + 4, 900), kimi.say(turn * 60 + 5, `said ${turn}`),
    ])]),
  };
}

function chatTurn(turn) {
  const late = chat.result(`l${turn - 1}`, filler(200 + turn));
  return [
    ...(turn === 12 ? [chat.system('be briefer'), chat.user('This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n' + filler(150))] : []),
    chat.user(`ask ${turn} ${filler(60)}`), ...(turn % 3 === 1 ? [late] : []),
    { ...chat.call(`t${turn}`), tool_calls: [...chat.call(`t${turn}`).tool_calls, ...chat.call(`l${turn}`).tool_calls] },
    chat.result(`t${turn}`, filler(turn === 29 ? 9_000 : 500 + turn)), chat.answer(`said ${turn} ${filler(500)}`),
  ];
}

const WINDOWS = [8_192, 32_768, 128_000];
/** So large that whatever can be cut is worth it: the target then lies above what is accepted, and all is cut that may be. */
const UNLIMITED = 100_000_000;
const STAGES = 24;
/** More than a conversation that stands still can be compacted in a row. */
const MOST_PASSES = 12;
/** Places of one file, spread evenly. */
const MOST_CUTS = 200;
const START = Date.parse('2026-03-01T10:00:00.000Z');
const HOUR_MS = 3_600_000;
const [VERBATIM, SUMMARY, LATE, CLEARED, CAPPED] = [0, 1, 2, 3, 4];
