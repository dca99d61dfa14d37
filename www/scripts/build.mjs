// Bundles src/main.ts and copies the page and its style to dist.
import { copyFile, mkdir } from 'node:fs/promises';
import { build } from 'esbuild';

const here = (path) => new URL(path, import.meta.url);

await mkdir(here('../dist/'), { recursive: true });
await build({
  entryPoints: [here('../src/main.ts').pathname],
  outfile: here('../dist/main.js').pathname,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
});
for (const file of ['index.html', 'page.css']) await copyFile(here(`../src/${file}`), here(`../dist/${file}`));
