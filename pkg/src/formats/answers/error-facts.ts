// What can be read off an error of any client library: its status, codes, texts and headers, wherever they were put.

import { isFields, type Fields } from '../shape/json.js';

export interface ErrorFacts {
  readonly status: number | undefined;
  /** Names, codes and types. */
  readonly codes: readonly string[];
  readonly texts: readonly string[];
  /** Numbers that servers state beside their text. */
  readonly numbers: ReadonlyMap<string, number>;
  header(name: string): string | undefined;
}

export function errorFacts(error: unknown): ErrorFacts {
  const found = new Facts();
  found.visit(error, 0);
  return found;
}

class Facts implements ErrorFacts {
  status: number | undefined;
  readonly codes: string[] = [];
  readonly texts: string[] = [];
  readonly numbers = new Map<string, number>();
  readonly #headers: Fields[] = [];

  header(name: string): string | undefined {
    for (const headers of this.#headers) {
      const get = headers.get;
      const value: unknown = typeof get === 'function' ? get.call(headers, name) : headers[name];
      if (typeof value === 'string') return value;
    }
    return undefined;
  }

  visit(value: unknown, depth: number): void {
    if (typeof value === 'string') this.#text(value, depth);
    if (!isFields(value) || depth > MAX_DEPTH) return;
    this.status ??= statusOf(value);
    for (const key of CODES) {
      const code = value[key];
      if (typeof code === 'string') this.codes.push(code);
    }
    for (const key of NUMBERS) {
      const number = value[key];
      if (typeof number === 'number') this.numbers.set(key, number);
    }
    for (const key of HEADERS) {
      const headers = value[key];
      if (isFields(headers)) this.#headers.push(headers);
    }
    for (const key of NESTED) this.visit(value[key], depth + 1);
  }

  /** Some clients hand the body over as text. */
  #text(text: string, depth: number): void {
    this.texts.push(text.slice(0, MAX_TEXT));
    if (!text.startsWith('{') || text.length > MAX_TEXT) return;
    try {
      this.visit(JSON.parse(text), depth + 1);
    } catch {
      // Not JSON after all; its text is noted.
    }
  }
}

function statusOf(fields: Fields): number | undefined {
  for (const key of ['status', 'statusCode', 'code']) {
    const status = fields[key];
    if (typeof status === 'number' && status >= 400 && status < 600) return status;
  }
  return undefined;
}

const CODES = ['name', 'code', 'type', 'lc_error_code'];
const HEADERS = ['headers', 'responseHeaders'];
const NUMBERS = ['n_ctx', 'retry_after'];
const NESTED = ['message', 'error', 'body', 'responseBody', 'response', 'data', 'detail', 'cause', 'lastError', '0'];
/** Client, body, error, cause: deeper is no longer about this call. */
const MAX_DEPTH = 5;
/** Servers echo prompts into error texts; what is looked for stands in front. */
const MAX_TEXT = 4_096;
