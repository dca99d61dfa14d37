// References that keep nothing alive, where the runtime has them; a Worker of an old compatibility date does not.

export function weak<T extends object>(target: T): () => T | undefined {
  return typeof WeakRef === 'undefined' ? strong(target) : dereferencing(new WeakRef(target));
}

/** A function of its own: closures of one function share what any of them captures, and the weak one would hold the target. */
function strong<T>(target: T): () => T {
  return () => target;
}

function dereferencing<T extends object>(held: WeakRef<T>): () => T | undefined {
  return () => held.deref();
}

/** Calls `then` some time after `target` was dropped. It must not hold `target`. */
export function whenDropped(target: object, then: () => void): void {
  dropped?.register(target, then);
}

const dropped = typeof FinalizationRegistry === 'undefined' ? undefined : new FinalizationRegistry<() => void>((then) => then());
