// Messages made smaller without changing what they are: role, ids and calls stay, so that pairs hold.
// A format says which of its keys hold what; whatever it does not name is copied as it is.

import { withoutBlobs } from './blob.js';
import { cutJson, cutText, cutValue } from './cut.js';
import { isFields, type Fields } from './json.js';
import { mapJson, mapStrings } from './strings.js';
import { Trail } from './trail.js';

/** Where the bulky parts of a format are. */
export interface Rules {
  /** Keys whose string is text that the model sees. */
  readonly texts: ReadonlySet<string>;
  /** Keys whose value is JSON that the model sees, as it is or written out as text. */
  readonly data: ReadonlySet<string>;
  /** The kind of media that `part` is, if it is one. */
  media(part: Fields): string | undefined;
  /** What stands where media was in `holder`; `undefined`: nothing, where the format has no place for text. */
  placeholder(text: string, part: Fields, holder: Fields | undefined): Fields | undefined;
  /** Parts that must come back as they were (signed, encrypted). */
  sealed(part: Fields): boolean;
  /** The key under which `part` holds the result of a tool, if it is one. */
  result(part: Fields): string | undefined;
  /** What a result is, when it is only `text`. Left out: the text. */
  resultOf?(text: string, part: Fields): unknown;
}

/** See `Reader.replaced`. */
export function replaced<M>(message: M, text: string, rules: Rules): M {
  return rewritten(message, rules, { media: () => text, result: text });
}

/** See `Reader.capped`. */
export function capped<M>(message: M, bytes: number, rules: Rules): M {
  return rewritten(message, rules, {
    text: (text) => cutText(text, bytes),
    data: (value) => (typeof value === 'string' ? cutJson(value, bytes) : cutValue(value, bytes)),
  });
}

/** See `Reader.withoutMedia`. */
export function withoutMedia<M>(message: M, rules: Rules): M {
  return rewritten(message, rules, {
    media: (kind) => `[${kind}]`,
    text: withoutBlobs,
    data: (value) => (typeof value === 'string' ? mapJson(value, withoutBlobs) : mapStrings(value, withoutBlobs)),
  });
}

interface Edit {
  text?(text: string): string;
  data?(value: unknown): unknown;
  media?(kind: string): string;
  readonly result?: string;
}

/** The same object where nothing was to be changed. What an edit makes of a message is a message of the same type. */
function rewritten<M>(message: M, rules: Rules, edit: Edit): M;
function rewritten(message: unknown, rules: Rules, edit: Edit): unknown {
  return new Rewriter(rules, edit).value(message, '', undefined);
}

class Rewriter {
  readonly #rules: Rules;
  readonly #edit: Edit;
  readonly #trail = new Trail();

  constructor(rules: Rules, edit: Edit) {
    this.#rules = rules;
    this.#edit = edit;
  }

  /** `holder` is the object that has the value under `key`, or in a list there. */
  value(value: unknown, key: string, holder: Fields | undefined): unknown {
    if (typeof value === 'string') return this.#rules.texts.has(key) && this.#edit.text ? this.#edit.text(value) : value;
    if (!isFields(value) || isBinary(value) || !this.#trail.enter(value)) return value;
    const next = Array.isArray(value) ? this.#list(value, key, holder) : this.#part(value, holder);
    this.#trail.leave();
    return next;
  }

  #list(list: readonly unknown[], key: string, holder: Fields | undefined): unknown {
    const items = list.map((item) => this.value(item, key, holder));
    if (items.every((item, i) => item === list[i])) return list;
    return items.filter((item) => item !== undefined);
  }

  #part(part: Fields, holder: Fields | undefined): unknown {
    const rules = this.#rules;
    if (rules.sealed(part)) return part;
    const kind = this.#edit.media && rules.media(part);
    if (kind !== undefined && this.#edit.media) return rules.placeholder(this.#edit.media(kind), part, holder);
    const result = this.#edit.result === undefined ? undefined : rules.result(part);
    let copy: Record<string, unknown> | undefined;
    for (const [name, inner] of Object.entries(part)) {
      const next = name === result ? this.#result(part) : this.#field(name, inner, part);
      if (next !== inner) (copy ??= { ...part })[name] = next;
    }
    return copy ?? part;
  }

  #result(part: Fields): unknown {
    const text = this.#edit.result ?? '';
    return this.#rules.resultOf ? this.#rules.resultOf(text, part) : text;
  }

  #field(name: string, inner: unknown, holder: Fields): unknown {
    if (!this.#rules.data.has(name)) return this.value(inner, name, holder);
    return this.#edit.data ? this.#edit.data(inner) : inner;
  }
}

function isBinary(value: Fields): boolean {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}
