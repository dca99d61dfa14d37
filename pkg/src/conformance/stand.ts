// What the suite stands on: the stores under test, made by name, and hands inside the engines behind them.

import { DESCRIBED, type Described } from '../described.js';
import type { InjectedStore, Store } from '../surface.js';
import * as database from './database.js';
import * as items from './items.js';
import type { Bench } from './glue.js';

/** A description with the name that led to it. */
export type Place = Described & { readonly place: string };

export class Stand implements Bench {
  /** What the running clause said before it broke. */
  heard = '';
  readonly #made: Place[] = [];
  readonly #makeStore: (name: string) => Store;
  #wake: () => void = () => {};

  constructor(makeStore: (name: string) => Store) {
    this.#makeStore = makeStore;
  }

  fresh(): Place {
    count += 1;
    return this.#place(`compaction-governor-check-${Date.now().toString(36)}-${count}`);
  }

  again({ place }: Place): Place {
    return this.#place(place);
  }

  async hanging(): Promise<Place | undefined> {
    const place = this.fresh();
    if (place.kind === 'injected') return { ...place, object: NEVER_ANSWERS };
    if (place.kind !== 'indexed_db') return undefined;
    await database.hold(nameOf(place), HOLD_MS);
    return place;
  }

  async damage(place: Place, session: string): Promise<boolean> {
    if (place.kind === 'indexed_db') await database.damage(nameOf(place), session);
    else if (place.kind === 'local_storage') items.damage(nameOf(place), session);
    else if (place.kind === 'injected') await damageRecord(place.object, session);
    else return false;
    return true;
  }

  /** Resolves when the clause can go on. */
  wake(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  woken(): void {
    this.#wake();
  }

  broke(message: string): void {
    this.heard = message;
  }

  /** Removes all that was written. What cannot be removed stays: the report is what was asked for. */
  async clear(): Promise<void> {
    const places = new Map(this.#made.map((place) => [place.place, place]));
    const remove = (): Promise<unknown> => Promise.all([...places.values()].map((place) => removeAll(place).catch(() => undefined)));
    await remove();
    // An open that a clause gave up may come late, and make its database again.
    await new Promise<void>((resolve) => setTimeout(resolve, LATE_MS));
    await remove();
  }

  #place(name: string): Place {
    const store = this.#makeStore(name);
    const described = describedOf(store);
    if (!described) throw new TypeError('makeStore answered with no store of this package; answer with indexedDb(), localStorageStore(), memory() or injected(object)');
    const place = { ...described, place: name };
    this.#made.push(place);
    return place;
  }
}

function describedOf(store: unknown): Described | undefined {
  return typeof store === 'object' && store !== null && DESCRIBED in store && isDescribed(store[DESCRIBED]) ? store[DESCRIBED] : undefined;
}

/** Put there by this package, if of another copy of it. */
function isDescribed(value: unknown): value is Described {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

function nameOf({ name }: { readonly name: string | undefined }): string {
  return name ?? 'compaction-governor';
}

async function removeAll(place: Place): Promise<void> {
  if (place.kind === 'indexed_db') await database.remove(nameOf(place));
  else if (place.kind === 'local_storage') items.remove(nameOf(place));
  else if (place.kind === 'injected') await removeSessions(place.object);
}

async function removeSessions(object: InjectedStore): Promise<void> {
  for (let last: string | undefined; object.list && object.remove; ) {
    const page = await inTime(object.list(last, 100));
    if (!page || page.length === 0 || page.at(-1) === last) return;
    for (const session of page) await inTime(object.remove(session, undefined));
    last = page.at(-1);
  }
}

/** Three bytes where no root record is shorter than eight. */
async function damageRecord(object: InjectedStore, session: string): Promise<void> {
  const held = await object.load(session);
  await object.commit(session, held?.revision ?? null, { puts: new Map([['root', new Uint8Array(3)]]), deletes: [] }, 'damage');
}

/** An object that hangs must not keep the report. */
function inTime<T>(answer: T | Promise<T>): Promise<T | undefined> {
  return Promise.race([answer, new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), CLEARING_MS))]);
}

const never = (): Promise<never> => new Promise(() => {});
const NEVER_ANSWERS: InjectedStore = { load: never, commit: never, list: never, remove: never };
/** Longer than all deadlines of the clause that meets it. */
const HOLD_MS = 2_500;
const CLEARING_MS = 500;
const LATE_MS = 200;
let count = 0;
