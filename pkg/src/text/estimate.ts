// Tokens of a text by the crate's table. Longer texts are written into the memory of the WebAssembly instance and counted there;
// those too short to repay the call are read here, by the same table.

import { countBuffer, countBytes, countTable } from '../boundary/glue.js';
import { Life } from '../boundary/guard.js';
import { endOfPart } from './digest.js';

/** About how many tokens `text` has, not rounded; never more than its bytes. What is appended to a text never lowers the count. */
export function estimate(text: string): number {
  return (text.length < SHORT ? short(text) : long(text)) / UNITS;
}

function long(text: string): number {
  let units = 0;
  let before = 0;
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = endOfPart(text, from);
    const bytes = scratch();
    const { written } = ENCODER.encodeInto(to - from < text.length ? text.slice(from, to) : text, bytes);
    units += countBytes(written, before);
    before = bytes[written - 1] ?? 0;
  }
  return units;
}

/** The view of the buffer: a new one after the memory grew, and for a fresh instance. */
function scratch(): Uint8Array {
  if (view.length > 0 && life === Life.current) return view;
  view = countBuffer();
  life = Life.current;
  return view;
}

/** Word by word of eight bytes, as the crate does; there is no window of 32 to look at. */
function short(text: string): number {
  table ??= countTable();
  const word = new Word(table);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) word.add(unit);
    else return long(text);
  }
  return word.end();
}

class Word {
  #units = 0;
  #sum = 0;
  #length = 0;
  #first = 0;
  #last = 0;
  #same = true;

  constructor(readonly table: Uint8Array) {}

  add(byte: number): void {
    this.#sum += this.table[(byte << 8) | this.#last] ?? UNITS;
    this.#same &&= byte === this.#first;
    this.#last = byte;
    if (++this.#length < WORD) return;
    this.#units += this.#same ? this.#repeated() : this.#sum;
    this.#sum = this.#length = 0;
    this.#first = byte;
    this.#same = true;
  }

  end(): number {
    return this.#units + (this.#same ? Math.min(this.#sum, this.#repeated()) : this.#sum);
  }

  #repeated(): number {
    return this.table[PAIRS + this.#first] ?? UNITS;
  }
}

/** The crate's `Table::UNITS`. */
const UNITS = 32;
const WORD = 8;
const PAIRS = 0x10000;
/** Characters below which a loop over them is faster than the call, as measured in Node and Chromium; no window of the crate is as short. */
const SHORT = 24;
const ENCODER = /* @__PURE__ */ new TextEncoder();
let view: Uint8Array = /* @__PURE__ */ new Uint8Array(0);
let life: Life | undefined;
let table: Uint8Array | undefined;
