// Bundles a Worker with the package's sources. A Worker compiles no WebAssembly from bytes: the file stays a module of its own
// beside the script, which the runtime has compiled before the script begins.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The package as it was built, except that the suite's WebAssembly is a module too. */
const asModules = {
  name: 'as-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/bytes\.js$/ }, ({ resolveDir }) => ({ path: `./${wasmOf(resolveDir)}`, external: true }));
    onResolve({ filter: /^compaction-governor$/ }, () => ({ path: at('pkg/dist/workerd.js') }));
    onResolve({ filter: /^compaction-governor\/conformance$/ }, () => ({ path: at('pkg/src/conformance/index.ts') }));
    onResolve({ filter: /\/glue\.js$/ }, ({ resolveDir }) => ({ path: at(`pkg/dist/wasm/${wasmOf(resolveDir).replace('_bg.wasm', '.js')}`) }));
    onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path: `./${basename(path)}`, external: true }));
  },
};

const wasmOf = (folder) => (folder.endsWith('conformance') ? 'conformance_bg.wasm' : 'compaction_governor_bg.wasm');

/** The modules of a Worker for Miniflare, the script first. */
export async function modulesOf(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    plugins: [asModules],
    logLevel: 'warning',
  });
  const script = outputFiles[0].text;
  const wasm = ['compaction_governor_bg.wasm', 'conformance_bg.wasm'].filter((name) => script.includes(name));
  const compiled = await Promise.all(wasm.map(async (name) => ({ type: 'CompiledWasm', path: name, contents: await readFile(at(`pkg/dist/wasm/${name}`)) })));
  return [{ type: 'ESModule', path: 'worker.mjs', contents: script }, ...compiled];
}
