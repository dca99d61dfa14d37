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

test('a fingerprint of ASCII text is the published FNV-1a value', () => {
  const published = { '': 'cbf29ce484222325', a: 'af63dc4c8601ec8c', foobar: '85944171f73967e8' };
  for (const [text, expected] of Object.entries(published)) assert.equal(hex(digestOf(text)), expected);
});

test('a fingerprint is FNV-1a over code units, as arithmetic on big integers has it', () => {
  const slow = (text: string): string => {
    let hash = 0xcbf29ce484222325n;
    for (let i = 0; i < text.length; i++) hash = ((hash ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n) & 0xffffffffffffffffn;
    return hash.toString(16).padStart(16, '0');
  };
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => hex(digestOf(text)) === slow(text)));
});

test('the byte count is that of UTF-8 for every well-formed text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => digestOf(text).bytes === Buffer.byteLength(text)));
});

test('a text given in two pieces counts and reads as the whole', () => {
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => hex(digestOf(a, b)) === hex(digestOf(a + b)) && digestOf(a, b).bytes === digestOf(a + b).bytes));
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
