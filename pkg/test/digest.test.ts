import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Digest } from '../src/text/digest.js';
import { rough } from '../src/text/rough.js';

function digestOf(...texts: string[]): Digest {
  const digest = new Digest();
  for (const text of texts) digest.text(text);
  return digest;
}

const hex = ({ hi, lo }: Digest): string => hi.toString(16).padStart(8, '0') + lo.toString(16).padStart(8, '0');

/** The definition of a fingerprint once more, with big integers and without scratch memory. */
function slow(text: string): string {
  const rotated = (word: bigint, by: bigint): bigint => ((word << by) | (word >> (32n - by))) & MASK;
  let [high, low] = [0x243f6a88n, 0x85a308d3n];
  for (const word of [BigInt(text.length), ...wordsOf(text)]) {
    high = rotated(((high ^ word) * 0x9e3779b1n) & MASK, 13n);
    low = rotated(((low ^ word) * 0x85ebca77n) & MASK, 19n);
  }
  const finished = (word: bigint): bigint => {
    let mixed = ((word ^ (word >> 16n)) * 0x85ebca6bn) & MASK;
    mixed = ((mixed ^ (mixed >> 13n)) * 0xc2b2ae35n) & MASK;
    return mixed ^ (mixed >> 16n);
  };
  const first = finished((high + low) & MASK);
  return ((first << 32n) | finished((low + first) & MASK)).toString(16).padStart(16, '0');
}

/** A short text by its code units, a longer one by its bytes, with zeros behind the last. */
function wordsOf(text: string): bigint[] {
  if (text.length < 48) return Array.from({ length: text.length }, (_, i) => BigInt(text.charCodeAt(i)));
  const bytes = Buffer.concat([Buffer.from(text), Buffer.alloc(3)]);
  return Array.from({ length: bytes.length >> 2 }, (_, i) => BigInt(bytes.readUInt32LE(4 * i)));
}

const MASK = 0xffffffffn;
/** Characters of which a text is encoded at a time. */
const PART = 16_384;
const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', minLength: 40, maxLength: 400 }));

test('a stored fingerprint of a text is the same in every later release', () => {
  const golden = {
    '': '4775a759dcf719e7',
    a: '660d510534c2c93e',
    'Grüße, 漢字 🙂': '79a887ba935b786b',
    ['0123456789'.repeat(5)]: 'b56b354f2bc8b70f',
    ['Grüße, 漢字 🙂'.repeat(5)]: '6db0b2e35336a056',
  };
  for (const [text, expected] of Object.entries(golden)) assert.equal(hex(digestOf(text)), expected, text);
});

test('a fingerprint is what its definition says, as arithmetic on big integers has it', () => {
  fc.assert(fc.property(anyText, (text) => hex(digestOf(text)) === slow(text)));
});

test('the byte count is that of UTF-8 for every well-formed text', () => {
  fc.assert(fc.property(anyText, (text) => digestOf(text).bytes === Buffer.byteLength(text)));
});

test('a text longer than what is encoded at a time is counted whole, also with a surrogate pair at the seam', () => {
  for (const before of [PART - 2, PART - 1, PART]) {
    const text = 'x'.repeat(before) + '🙂' + 'ß'.repeat(PART);
    assert.equal(digestOf(text).bytes, Buffer.byteLength(text));
    assert.notEqual(hex(digestOf(text)), hex(digestOf(`${text.slice(0, -1)}s`)));
  }
});

test('lone surrogates, halves of one at a seam and texts cut anywhere are read without an error', () => {
  const pair = '🙂'.repeat(PART);
  for (const text of [pair.slice(1), pair.slice(0, -1), '\ud800'.repeat(PART + 1), '\udc00']) assert.match(hex(digestOf(text)), /^[0-9a-f]{16}$/);
});

test('what a longer text left behind is not read into a shorter one', () => {
  const text = 'b'.repeat(49);
  const alone = hex(digestOf(text));
  digestOf('a'.repeat(500));
  assert.equal(hex(digestOf(text)), alone);
});

test('texts are told apart by their order and by where one ends and the next begins', () => {
  const [x, y] = ['x'.repeat(60), 'y'.repeat(60)];
  const seen = [[x, y], [y, x], [x + y], ['', x, y], [x + y, ''], ['ab', 'c'], ['a', 'bc'], ['abc']].map((texts) => hex(digestOf(...texts)));
  assert.equal(new Set(seen).size, seen.length);
});

test('among 200,000 texts that hardly differ each half of the fingerprint is as good as chance', () => {
  for (const tail of ['', ' of many lines that are the same in every one of them'.repeat(3)]) {
    const digests = Array.from({ length: 200_000 }, (_, i) => digestOf(`${tail}line ${i}${tail}`));
    // Of 200,000 random words of 32 bits about 4.7 meet another.
    assert.ok(new Set(digests.map(({ hi }) => hi)).size > 200_000 - 20);
    assert.ok(new Set(digests.map(({ lo }) => lo)).size > 200_000 - 20);
  }
});

test('one other character changes each bit of the fingerprint about every second time', () => {
  const changed = new Array<number>(64).fill(0);
  const bits = (text: string): bigint => BigInt(`0x${hex(digestOf(text))}`);
  for (let i = 0; i < 2_000; i++) {
    const text = `${i} `.repeat(40);
    const difference = bits(text) ^ bits(`${text.slice(0, i % 40)}#${text.slice((i % 40) + 1)}`);
    for (let bit = 0; bit < 64; bit++) changed[bit] = (changed[bit] ?? 0) + Number((difference >> BigInt(bit)) & 1n);
  }
  // A fair coin stays within 1,000 ± 112 (five deviations) all but once in a million throws.
  for (const [bit, count] of changed.entries()) assert.ok(Math.abs(count - 1_000) < 112, `bit ${bit} changed ${count} times`);
});

test('a mark is told from any text', () => {
  const marked = new Digest();
  marked.mark(1);
  assert.notEqual(hex(marked), hex(digestOf('\u0001')));
  assert.equal(marked.bytes, 0);
});

test('opaque data is told apart by both ends and by length, and counts no bytes', () => {
  const of = (data: string): Digest => {
    const digest = new Digest();
    digest.opaque(data);
    return digest;
  };
  const middle = 'm'.repeat(9_000);
  const seen = ['a' + middle + 'z', 'b' + middle + 'z', 'a' + middle + 'y', 'a' + middle + 'mz', 'short', ''].map((data) => hex(of(data)));
  assert.equal(new Set(seen).size, seen.length);
  assert.equal(of(middle).bytes, 0);
});

test('rough is a token for three and a half bytes, rounded up and never above bytes', () => {
  const cases = [[0, 0], [1, 1], [2, 1], [3, 1], [4, 2], [7, 2], [8, 3], [35, 10], [3_500, 1_000]] as const;
  for (const [bytes, tokens] of cases) assert.equal(rough(bytes), tokens);
});
