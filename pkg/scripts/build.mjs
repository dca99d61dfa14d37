// Bundles src/index.ts with the WASM inside, and writes the types. dist/wasm is made by `cargo xtask build`.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

await build({
  entryPoints: [here('../src/index.ts')],
  outfile: here('../dist/index.js'),
  bundle: true,
  format: 'esm',
  target: 'es2022',
  alias: { '#wasm': here('../dist/wasm/compaction_governor_bg.wasm') },
  loader: { '.wasm': 'binary' },
});
execFileSync('tsc', ['--declaration', '--emitDeclarationOnly', '--outDir', 'dist', '--project', '.'], {
  cwd: here('..'),
  stdio: 'inherit',
});
