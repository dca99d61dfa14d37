// openSession: checks what it is given, and gives one object per store and id.

import { Core, CoreSettings } from '../boundary/glue.js';
import { branded, compactionError } from '../errors.js';
import { readerFor } from '../formats/format-of.js';
import type { TextCount } from '../formats/reader.js';
import { handleOf, isAlone, scopeOf, wantsToPersist } from '../stores.js';
import type { ChatMessage, CompactResult, PrepareOptions, Session, SessionOptions, Size, Store, Summarize, Summarizer } from '../surface.js';
import { estimate } from '../text/estimate.js';
import { countedBy } from '../text/host-count.js';
import { Engine } from './engine.js';
import { GovernedSession } from './session.js';
import { Audience } from './watch.js';

export function openSession<M = ChatMessage>(options: SessionOptions<M>): Session<M> {
  const { id, store } = options;
  if (typeof id !== 'string' || id === '') throw compactionError('invalid_option', `id is ${JSON.stringify(id)}; pass your conversation's id, a string that is not empty`);
  handleOf(store);
  const sessions = sessionsOf(store);
  const known = sessions.get(id);
  const session = isSessionOf<M>(known) ? known : started(options, () => sessionsOf(store).get(id) === session && sessionsOf(store).delete(id));
  sessions.set(id, session);
  session.beginAgain();
  session.summarizers = listOf<Summarize<M> | Summarizer<M>>(options.summarize).map((one) => (typeof one === 'function' ? { summarize: one } : one));
  session.carry = options.carry;
  session.redact = options.redact;
  return session;
}

export async function compactIfNeeded<M>(session: Session<M>, messages: readonly M[], options?: PrepareOptions): Promise<CompactResult> {
  if (isSessionOf<M>(session)) return session.compactWhenDue(messages, options);
  throw compactionError('invalid_option', 'the session given to compactIfNeeded was not opened by this copy of the package; pass what openSession gave');
}

/** The session that this page has open under `id`, if there is one. */
export function openedIn(store: Store, id: string): GovernedSession<unknown> | undefined {
  const known = registry.get(store)?.get(id);
  return isSessionOf<unknown>(known) ? known : undefined;
}

/** It keeps the store, and what that is made of, as long as it lives. */
function started<M>(options: SessionOptions<M>, forget: () => void): GovernedSession<M> {
  const { id, store } = options;
  const reader = readerFor(options);
  const surroundings = { scope: scopeOf(store, id), persist: wantsToPersist(store), alone: isAlone(store), count: countOf(options), audience: new Audience() };
  const begin = (again: boolean): Engine<M> => {
    const core = branded(() => new Core(id, handleOf(store), settingsOf(options), ...randomWords()));
    // What a store in memory held went with the instance that a fault ended.
    return new Engine(core, reader, { ...surroundings, lost: again && store.kind === 'memory' });
  };
  return new GovernedSession(id, begin, forget);
}

function settingsOf<M>(options: SessionOptions<M>): CoreSettings {
  const settings = new CoreSettings();
  const { contextWindow, maxOutputTokens, trigger, keep, prune, templates, fallback } = options;
  if (contextWindow !== undefined) settings.setWindow(contextWindow);
  if (maxOutputTokens !== undefined) settings.setMaxOutput(maxOutputTokens);
  for (const size of listOf<Size>(trigger)) settings.addTrigger(size.tokens ?? 0, permille(size.fraction), size.messages ?? 0);
  if (keep) settings.setKeep(keep.messages ?? 0, keep.tokens ?? 0);
  if (prune === false) settings.keepResults();
  if (templates) settings.setTemplates(templates.system, templates.task);
  for (const failureClass of fallback ?? []) settings.addFallback(failureClass);
  return settings;
}

function countOf<M>({ countTokens }: SessionOptions<M>): TextCount {
  return countTokens ? countedBy(countTokens, estimate) : estimate;
}

function permille(fraction: number | undefined): number {
  return fraction === undefined ? 0 : Math.round(fraction * 1_000);
}

function listOf<T>(one: T | readonly T[] | undefined): readonly T[] {
  return one === undefined ? [] : isList(one) ? one : [one];
}

/** `Array.isArray` does not narrow read-only arrays. */
function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

/** Tells this session object's attempts from those of every other tab and process. */
export function randomWords(): [number, number] {
  const words = new Uint32Array(2);
  if (typeof crypto === 'undefined') words.forEach((_, i) => (words[i] = Math.random() * 2 ** 32));
  else crypto.getRandomValues(words);
  return [words[0] ?? 0, words[1] ?? 0];
}

function sessionsOf(store: Store): Map<string, unknown> {
  const known = registry.get(store);
  if (known) return known;
  const sessions = new Map<string, unknown>();
  registry.set(store, sessions);
  return sessions;
}

/** The message type is the host's promise: whoever opens an id again means the same messages. */
function isSessionOf<M>(known: unknown): known is GovernedSession<M> {
  return known instanceof GovernedSession;
}

const registry = new WeakMap<Store, Map<string, unknown>>();
