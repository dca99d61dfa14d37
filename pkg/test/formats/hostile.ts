// What no reader may stumble over, for every format: `withstands(reader)` in a test file of the format.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Role, type Reader, type Reading } from '../../src/formats/reader.js';

type Wrap = (content: unknown) => unknown;

/** `shapes`: messages of the format around a content that can be anything. */
export function withstands<M>(reader: Reader<M>, shapes: Record<string, Wrap>): void {
  test(`${reader.name}: no JSON makes a reader throw, and every number fits the index`, (t) => {
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    t.diagnostic(`SEED=${seed}`);
    const shaped = fc.tuple(fc.constantFrom(...Object.values(shapes)), fc.oneof(fc.anything(), known(shapes))).map(([wrap, content]) => wrap(content));
    fc.assert(fc.property(fc.oneof(fc.anything(), fc.jsonValue(), shaped), (message) => exercise(reader, message)), { numRuns: 5_000, seed });
  });

  for (const [name, value] of Object.entries(awkward())) {
    test(`${reader.name}: ${name}`, () => {
      for (const wrap of [...Object.values(shapes), (value: unknown) => value]) {
        const spent = spentOn(() => exercise(reader, wrap(value)));
        assert.ok(spent < 3_000, `${spent.toFixed()} ms`);
      }
    });
  }

  test(`${reader.name}: a text ten times as long takes about ten times as long`, () => {
    for (const [name, wrap] of Object.entries(shapes)) {
      for (const text of ['a', 'A1', '漢', 'x '.repeat(256), 'A1'.repeat(255), '\\"']) {
        const [small, large] = [timed(reader, wrap(sized(text, 500_000))), timed(reader, wrap(sized(text, 5_000_000)))];
        assert.ok(large < 25 * small + 200, `${name}, ${JSON.stringify(text.slice(0, 4))}: ${small.toFixed()} ms for a tenth of what took ${large.toFixed()} ms`);
      }
    }
  });

  test(`${reader.name}: 50 MB in one string are read`, () => {
    const text = sized('A1', 50_000_000);
    for (const wrap of Object.values(shapes)) assert.ok(reader.message(wrap(text)).tokens > 0 && reader.text(wrap(text)).length < 1_000);
  });
}

/** Objects with the keys and types that a format knows, and anything behind them. */
function known(shapes: Record<string, Wrap>): fc.Arbitrary<unknown> {
  const names = new Set(JSON.stringify(Object.values(shapes).map((wrap) => wrap(['']))).match(/\w+/g));
  const name = fc.constantFrom(...names, ...KEYS);
  const { part } = fc.letrec<{ part: unknown }>((tie) => ({
    part: fc.oneof({ maxDepth: 4 }, fc.anything({ maxDepth: 1 }), name, fc.dictionary(name, fc.oneof(name, tie('part')), { maxKeys: 5 }), fc.array(tie('part'), { maxLength: 3 })),
  }));
  return part;
}

const KEYS = ['type', 'text', 'content', 'id', 'name', 'input', 'output', 'call_id', 'tool_use_id', 'source', 'parts', 'args', 'response', 'image', 'tool_use', 'tool_result', 'thinking', 'document', 'compaction', 'reasoning', 'functionCall', 'functionResponse', 'inlineData', 'message', 'role', 'user', 'assistant'];

/** Everything that a reader can be asked about a message. */
function exercise<M>(reader: Reader<M>, message: unknown): void {
  checkReading(reader.message(message));
  assert.equal(typeof reader.text(message), 'string');
  const id = reader.id(message);
  assert.ok(id === undefined || typeof id === 'string');
  if (isOwn<M>(message)) for (const made of [reader.replaced(message, 'x'), reader.capped(message, 64), reader.withoutMedia(message)]) checkReading(reader.message(made));
  reader.usage(message);
  reader.reply(message);
  reader.overflow(message);
  reader.failure(message, 0);
}

/** A reader takes messages of its own type; here it is given anything. */
function isOwn<M>(message: unknown): message is M {
  return typeof message !== 'function'
}

function checkReading({ hi, lo, tokens, bytes, role, flags, calls, answers }: Reading): void {
  for (const word of [hi, lo, tokens, bytes]) assert.ok(Number.isInteger(word) && word >= 0 && word <= 0xffff_ffff, String(word));
  assert.ok(Object.values<number>(Role).includes(role) && flags >= 0 && flags < 128);
  for (const id of [...calls, ...answers]) assert.equal(typeof id, 'string');
}

function awkward(): Record<string, unknown> {
  const cycle: Record<string, unknown> = { type: 'tool_result' };
  for (const key of ['content', 'parts', 'output', 'input', 'source', 'text']) cycle[key] = [cycle, cycle];
  const list: unknown[] = [];
  list.push(list, list, { type: 'document', content: list, source: { type: 'content', content: list } });
  const same = Array.from({ length: 300 }, () => ({ type: 'tool_use', id: 'same', name: 'f', input: {} }));
  return {
    'lone surrogates are read as they are': ['\ud800', 'a\udc00b', { type: 'text', text: '\udfff'.repeat(3_000) }],
    'nesting 10,000 deep ends in time': deep((inner, level) => ({ type: 'tool_result', [KEYS[level % KEYS.length] ?? '']: inner })),
    'results 10,000 deep end in time': deep((inner) => ({ type: 'tool_result', content: [inner] })),
    'lists 10,000 deep end in time': deep((inner) => [inner]),
    'objects that hold themselves end in time': cycle,
    'lists that hold themselves end in time': list,
    'one id used by 300 calls and results is no fault': [...same, ...same.map(() => ({ type: 'tool_result', tool_use_id: 'same', content: 'x' }))],
    'names that every object has are no surprise': JSON.parse('{"__proto__": {"type": "text"}, "constructor": {"name": "x"}, "toString": 7, "hasOwnProperty": null}'),
    '100,000 parts are read once each': Array.from({ length: 100_000 }, (_, i) => ({ type: 'text', text: String(i) })),
  };
}

function deep(wrap: (inner: unknown, level: number) => unknown): unknown {
  let value: unknown = 'end';
  for (let level = 0; level < 10_000; level++) value = wrap(value, level);
  return value;
}

function sized(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length));
}

function timed<M>(reader: Reader<M>, message: unknown): number {
  return spentOn(() => {
    reader.message(message);
    reader.text(message);
    if (isOwn<M>(message)) for (const made of [reader.capped(message, 1_000), reader.withoutMedia(message)]) assert.ok(made);
  });
}

/** Milliseconds of the processor, which other processes do not lengthen. */
function spentOn(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
