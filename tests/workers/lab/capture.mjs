// Imported before the package: it sees which instances are made, and what is asked of clock and chance while modules load.
export const seen = { instances: [], whileLoading: [] };

const { Instance } = WebAssembly;
WebAssembly.Instance = new Proxy(Instance, {
  construct(target, args) {
    const made = Reflect.construct(target, args);
    seen.instances.push(made);
    return made;
  },
});

const watched = [[Date, 'now'], [Math, 'random'], [performance, 'now'], [crypto, 'getRandomValues'], [crypto, 'randomUUID'], [globalThis, 'setTimeout'], [globalThis, 'fetch']];
const restore = watched.map(([of, name]) => {
  const original = of[name];
  Object.defineProperty(of, name, { configurable: true, writable: true, value: (...args) => (seen.whileLoading.push(name), original.apply(of, args)) });
  return () => Object.defineProperty(of, name, { configurable: true, writable: true, value: original });
});

/** Called when all modules have loaded. */
export function loaded() {
  for (const back of restore) back();
}

/** Every byte that the instance in use wrote since it began is another one now: its next call traps. */
export function breakInstance() {
  new Uint8Array(seen.instances.at(-1).exports.memory.buffer).fill(0xff);
}
