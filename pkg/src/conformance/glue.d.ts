// The WebAssembly side of the suite; written by hand beside `src/wasm/conformance` of the crate.

export function initSync(options: { module: Uint8Array }): unknown;
/** All clauses, in their order. */
export function clauseNames(): string[];
export function startClause(name: string, bench: Bench): Clause | undefined;

export interface Clause {
  /** Undefined until it has ended; then empty where the clause holds, else what is not declared. Throws where it is broken. */
  poll(): string | undefined;
  /** Drops what it had under way. Not after a throw. */
  free(): void;
}

/** What the suite asks of this side. Places are handed back as they were given. */
export interface Bench {
  fresh(): object;
  again(place: object): object;
  hanging(): Promise<object | undefined>;
  damage(place: object, session: string): Promise<boolean>;
  woken(): void;
  broke(message: string): void;
}
