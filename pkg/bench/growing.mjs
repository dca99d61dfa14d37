// What a minimal Vite application grows by with the package in it, built for production.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { inFreshFolder, tool } from './lib/fresh-folder.mjs';
import { write } from './lib/measure.mjs';

const USE = "document.title = openSession({ id: 'a', store: indexedDb() }).explain().sentence;";
const APPS = {
  empty: "document.title = 'empty';",
  'the import': `import { indexedDb, openSession } from 'compaction-governor'; ${USE}`,
  '`./slim` and `./wasm?url`': `import { indexedDb, init, openSession } from 'compaction-governor/slim'; import url from 'compaction-governor/wasm?url'; init(fetch(url)).then(() => { ${USE} });`,
};

const { build } = await tool('vite');
const weights = {};
await inFreshFolder(async (folder) => {
  for (const [name, main] of Object.entries(APPS)) {
    const root = join(folder, `app-${Object.keys(weights).length}`);
    mkdirSync(root);
    writeFileSync(join(root, 'main.js'), main);
    writeFileSync(join(root, 'index.html'), '<!doctype html><script type="module" src="/main.js"></script>');
    await build({ root, logLevel: 'error' });
    const files = readdirSync(join(root, 'dist'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    const sum = (size) => bytes.reduce((sum, file) => sum + size(file), 0);
    weights[name] = [sum((file) => file.length), sum((file) => gzipSync(file, { level: 9 }).length), sum((file) => brotliCompressSync(file).length)];
  }
});
const kb = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;
const rows = Object.entries(weights).filter(([name]) => name !== 'empty').map(([name, weight]) => [name, ...weight.map((bytes, i) => kb(bytes - weights.empty[i]))]);
write({ title: 'Growing: what a minimal Vite application grows by, all files', columns: ['with', 'raw', 'gzip -9', 'brotli'], rows });
