// Copies of this package in one realm know of each other: a store or a session of one is a stranger to the other.

/** Put in by the build. */
declare const PACKAGE_VERSION: string;

/** This copy's. */
export const VERSION = PACKAGE_VERSION;

/** The versions of all copies that were loaded here, in that order. */
export function copies(): readonly string[] {
  return list() ?? [VERSION];
}

/** Called once, by a copy that is loaded. A realm that lets nobody write into it has no list, and no copies that could be told of. */
export function noteCopy(): void {
  const known = list();
  if (known) known.push(VERSION);
  else Reflect.defineProperty(globalThis, COPIES, { value: [VERSION] });
}

function list(): string[] | undefined {
  const found: unknown = Reflect.get(globalThis, COPIES);
  return Array.isArray(found) ? found : undefined;
}

const COPIES: unique symbol = Symbol.for('compaction-governor.copies');
