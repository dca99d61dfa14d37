// A session file with some lines mended: every other line is copied byte for byte.

import { type Fields, isFields } from '../../json.js';
import { decode, type RawLine, rawLinesOf } from '../../read/source.js';
import type { Change } from './changes.js';
import type { RecordMender } from './records.js';

export async function* mendedLines(path: string, changes: readonly Change[], mender: RecordMender): AsyncGenerator<Buffer> {
  const copy = new MendedCopy(changes, mender);
  for await (const raw of rawLinesOf(path)) {
    const parts = [...copy.lineFor(raw)];
    if (parts.length > 0) yield Buffer.concat(parts);
  }
}

class MendedCopy {
  readonly #mender: RecordMender;
  readonly #byLine = new Map<number, Change[]>();
  readonly #open: ReadonlySet<string>;
  /** The last record that was put behind one, by that one's id: what came after it must refer to it. */
  readonly #behind = new Map<string, string>();
  /** Records so far, and where more were put in: indexes of records move. */
  #records = 0;
  readonly #inserted: { at: number; count: number }[] = [];

  constructor(changes: readonly Change[], mender: RecordMender) {
    this.#mender = mender;
    this.#open = new Set(changes.flatMap(({ calls }) => calls));
    for (const change of changes.filter(({ action }) => action !== 'close')) {
      this.#byLine.set(change.line, [...(this.#byLine.get(change.line) ?? []), change]);
    }
  }

  *lineFor(raw: RawLine): Iterable<Buffer> {
    const record = parsed(raw);
    const records = record === undefined ? undefined : this.#mended(record, this.#byLine.get(raw.number));
    if (records === undefined) yield* raw.parts;
    else yield Buffer.from(records.map((one) => JSON.stringify(one)).join('\n'));
    if (raw.ended && records?.length !== 0) yield NEWLINE;
  }

  /** What stands for a record; undefined where that is its own line. */
  #mended(record: Fields, changes: readonly Change[] | undefined): readonly object[] | undefined {
    const linked = this.#moved(this.#mender.relinked?.(record, this.#behind) ?? record);
    const own = changes === undefined ? [linked] : this.#mender.mended(linked, changes);
    const closing = this.#open.size === 0 ? [] : this.#mender.closing(record, this.#open);
    this.#records += 1;
    if (closing.length > 0) this.#remember(record, closing);
    return changes === undefined && linked === record && closing.length === 0 ? undefined : [...own, ...closing];
  }

  #remember(record: Fields, closing: readonly object[]): void {
    this.#inserted.push({ at: this.#records, count: closing.length });
    const last = closing.at(-1);
    for (const member of ['uuid', 'id']) {
      const [from, to] = [record[member], isFields(last) ? last[member] : undefined];
      if (typeof from === 'string' && typeof to === 'string') this.#behind.set(from, to);
    }
  }

  /** Older compactions of pi name the first record that they kept by its index. */
  #moved(record: Fields): Fields {
    const index = record['firstKeptEntryIndex'];
    if (typeof index !== 'number') return record;
    const before = this.#inserted.filter(({ at }) => at <= index).reduce((sum, { count }) => sum + count, 0);
    return before === 0 ? record : { ...record, firstKeptEntryIndex: index + before };
  }
}

function parsed({ parts, number }: RawLine): Fields | undefined {
  try {
    const value: unknown = JSON.parse(decode(parts, number) ?? '');
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const NEWLINE = Buffer.from('\n');
