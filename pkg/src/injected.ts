// The store that a host brings: its shape is checked here, its answers where they are used.

import { StoreHandle } from './boundary/glue.js';
import { refusedWorkersKv } from './durable-object.js';
import { compactionError } from './errors.js';
import { create } from './stores.js';
import type { Codec, InjectedCapabilities, InjectedStore, Store } from './surface.js';

export function injected(store: InjectedStore, options: { seal?: Codec } = {}): Store {
  const stores = byCodec(options.seal);
  const known = typeof store === 'object' && store !== null ? stores.get(store) : undefined;
  if (known) return known;
  refuseOtherShapes(store);
  const { oneContext, survives, maxValueBytes } = checked(store.capabilities ?? {});
  const described = { kind: 'injected', object: store, oneContext, survives, maxValueBytes } as const;
  const made = create(described, () => StoreHandle.injected(store, oneContext, survives, maxValueBytes, options.seal));
  stores.set(store, made);
  return made;
}

function refuseOtherShapes(store: unknown): void {
  if (has(store, 'load') && has(store, 'commit')) return;
  if (has(store, 'getWithMetadata')) throw refusedWorkersKv();
  if (has(store, 'get') && (has(store, 'put') || has(store, 'set'))) throw refusedKeyValue();
  throw compactionError('invalid_option', 'injected() was given no object with the methods load and commit; pass one that keeps the contract of InjectedStore');
}

function refusedKeyValue(): Error {
  return compactionError(
    'no_compare_and_swap',
    'this is a key-value store (get, put) that compares nothing: two writers would overwrite each other unseen, and with them counters and summaries; keep sessions in a Durable Object, in D1, or behind load and commit of your own',
  );
}

function checked({ compareAndSwap = 'all', survives = 'nothing', maxValueBytes }: InjectedCapabilities): { oneContext: boolean; survives: number; maxValueBytes: number } {
  if (compareAndSwap === 'none') throw compactionError('no_compare_and_swap', 'this store says that it cannot compare and swap: two writers would overwrite each other unseen; pass one that can');
  const kept = SURVIVES.indexOf(survives);
  const limited = maxValueBytes === undefined || (Number.isSafeInteger(maxValueBytes) && maxValueBytes > 0);
  if (!limited || kept < 0 || !['all', 'one_context'].includes(compareAndSwap)) throw compactionError('invalid_option', 'capabilities of the store hold a value that InjectedCapabilities does not know; correct it or leave it out');
  return { oneContext: compareAndSwap === 'one_context', survives: kept, maxValueBytes: maxValueBytes ?? 0 };
}

function has(object: unknown, method: string): boolean {
  return ((typeof object === 'object' && object !== null) || typeof object === 'function') && typeof Reflect.get(object, method) === 'function';
}

/** By strength, as the WebAssembly side counts them. */
const SURVIVES: readonly string[] = ['nothing', 'reload', 'kill'];

/** The same object behind the same codec is the same store; behind none, or another, it is another one. */
function byCodec(codec: Codec | undefined): WeakMap<InjectedStore, Store> {
  if (codec === undefined) return plain;
  if (!has(codec, 'seal') || !has(codec, 'open')) throw compactionError('invalid_option', 'seal is no codec with the methods seal and open; pass aesGcm(key) or one of yours');
  const known = sealed.get(codec) ?? new WeakMap<InjectedStore, Store>();
  sealed.set(codec, known);
  return known;
}

const plain = new WeakMap<InjectedStore, Store>();
const sealed = new WeakMap<Codec, WeakMap<InjectedStore, Store>>();
