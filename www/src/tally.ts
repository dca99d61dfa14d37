/** What a panel has paid in this tab, over its reloads. The page's own bookkeeping, so that forgetting has a visible price. */
export interface Paid {
  loads: number;
  passes: number;
  tokens: number;
}

/** Adds up what a panel pays, in sessionStorage. */
export class Tally {
  readonly #key: string;
  paid: Paid;

  constructor(panel: string) {
    this.#key = `paid:${panel}`;
    this.paid = { ...read(this.#key) };
  }

  /** The page was loaded once more. */
  loaded(): void {
    this.#add({ loads: 1, passes: 0, tokens: 0 });
  }

  /** Passes were paid for. */
  pay(passes: number, tokens: number): void {
    if (passes !== 0 || tokens !== 0) this.#add({ loads: 0, passes, tokens });
  }

  /** Starts again from nothing. */
  clear(): void {
    this.paid = { loads: 1, passes: 0, tokens: 0 };
    write(this.#key, this.paid);
  }

  #add(more: Paid): void {
    this.paid = { loads: this.paid.loads + more.loads, passes: this.paid.passes + more.passes, tokens: this.paid.tokens + more.tokens };
    write(this.#key, this.paid);
  }
}

/** A choice of the visitor that outlives a reload of this tab. */
export const choices = {
  get: (name: string): string | null => attempt(() => sessionStorage.getItem(name)) ?? null,
  set: (name: string, value: string): void => void attempt(() => sessionStorage.setItem(name, value)),
};

function read(key: string): Paid {
  const [loads = 0, passes = 0, tokens = 0] = (choices.get(key) ?? '').split(' ').map((word) => Number.parseInt(word, 10) || 0);
  return { loads, passes, tokens };
}

function write(key: string, paid: Paid): void {
  choices.set(key, `${paid.loads} ${paid.passes} ${paid.tokens}`);
}

/** Storage may be denied; the page then counts for this load only. */
function attempt<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
