// The strings within a value of unknown shape, changed; everything else as it is.

import { isFields, jsonOf, type Fields } from './json.js';
import { Trail } from './trail.js';

/** The same object where no string changed. */
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  return new StringMap(change).map(value);
}

/** The same for JSON that is written out as text: what comes back is JSON as well. Text that is none is changed as one string. */
export function mapJson(text: string, change: (text: string) => string): string {
  const parsed = parseJson(text);
  if (!parsed) return change(text);
  const mapped = mapStrings(parsed.value, change);
  return mapped === parsed.value ? text : jsonOf(mapped);
}

export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

class StringMap {
  readonly #change: (text: string) => string;
  readonly #trail = new Trail();

  constructor(change: (text: string) => string) {
    this.#change = change;
  }

  map(value: unknown): unknown {
    if (typeof value === 'string') return this.#change(value);
    if (!isFields(value) || !this.#trail.enter(value)) return value;
    const mapped = Array.isArray(value) ? this.#list(value) : this.#object(value);
    this.#trail.leave();
    return mapped;
  }

  #list(list: readonly unknown[]): readonly unknown[] {
    const mapped = list.map((item) => this.map(item));
    return mapped.every((item, i) => item === list[i]) ? list : mapped;
  }

  #object(fields: Fields): Fields {
    const mapped = Object.entries(fields).map(([key, inner]) => [key, this.map(inner)] as const);
    return mapped.every(([key, inner]) => inner === fields[key]) ? fields : Object.fromEntries(mapped);
  }
}
