// What each entry of the package weighs as it is downloaded, and each format as an application bundles it, as one line of JSON.
// Argument: the package's dist folder.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';

const dist = resolve(process.argv[2]);
const read = (name) => readFileSync(join(dist, name));
const file = 'wasm/compaction_governor_bg.wasm';
const weigh = (name, parts) => {
  const sum = (size) => parts.reduce((sum, bytes) => sum + size(bytes), 0);
  return { name, raw: sum((bytes) => bytes.length), gzip: sum((bytes) => gzipSync(bytes, { level: 9 }).length), brotli: sum((bytes) => brotliCompressSync(bytes).length) };
};
/** What is left of an entry where one name of it is used. */
const used = (entry, name) => Buffer.from(buildSync({ stdin: { contents: `import { ${name} } from './${entry}'; console.log(${name});`, resolveDir: dist }, bundle: true, minify: true, format: 'esm', write: false }).outputFiles[0].text);

const formats = Object.keys(await import(join(dist, 'formats.js')));
console.log(JSON.stringify([
  weigh('the import, WASM inside', [read('index.js'), read('core.js')]),
  weigh('`require`, WASM inside', [read('index.cjs')]),
  weigh('`./slim` and the file', [read('slim.js'), read('core.js'), read(file)]),
  weigh('on `workerd`, with the file', [read('workerd.js'), read('core.js'), read(file)]),
  ...formats.map((name) => weigh(`\`./formats\`, \`${name}\` alone`, [used('formats.js', name)])),
  weigh('`./redact`', [read('redact.js')]),
  weigh('`./conformance`, a WASM of its own inside', [read('conformance.js')]),
]));
