// What the WASM and its minified glue weigh, as one line of JSON. Arguments: the .wasm, the glue.
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { transformSync } from 'esbuild';

const [wasm, glue] = process.argv.slice(2).map((file) => readFileSync(file));
const minified = Buffer.from(transformSync(glue.toString(), { minify: true, format: 'esm' }).code);

const weigh = (bytes) => ({
  raw: bytes.length,
  gzip: gzipSync(bytes, { level: 9 }).length,
  brotli: brotliCompressSync(bytes).length,
});
console.log(JSON.stringify({ wasm: weigh(wasm), glue: weigh(minified) }));
