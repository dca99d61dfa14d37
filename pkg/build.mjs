// Bundles the entry points into dist, with the WASM that `cargo xtask build` left in dist/wasm; `--tests` bundles the
// tests instead. The types are written by hand and copied.
import { chmod, copyFile, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** `src/boundary` and `src/conformance` declare generated glue and a WASM file each; here is where they are. */
const boundary = {
  name: 'boundary',
  setup({ onResolve, onLoad }) {
    const module = ({ path, resolveDir }) => (/conformance/.test(path) || /conformance$/.test(resolveDir) ? 'conformance' : 'compaction_governor');
    onResolve({ filter: /\/glue\.js$/ }, (asked) => ({ path: here(`dist/wasm/${module(asked)}.js`) }));
    onResolve({ filter: /\/bytes\.js$/ }, (asked) => ({ path: here(`dist/wasm/${module(asked)}_bg.wasm`) }));
    onLoad({ filter: /\/compaction_governor\.js$/ }, async ({ path }) => ({ contents: guardedGlue(await readFile(path, 'utf8')) }));
  },
};

/** The generated glue with `src/boundary/guard.ts` between it and the instance; a glue that reads otherwise is no build. */
function guardedGlue(text) {
  const changes = [
    ['wasm = instance.exports;', 'wasm = guarded(instance.exports);'],
    ['wasm = wasmInstance.exports;', 'wasm = guarded(wasmInstance.exports);'],
    ["throw new Error('Invalid stale object from previous Wasm instance');", 'throw stale();'],
    // Promises and requests of a dead instance still call back.
    ["throw new Error('Cannot invoke closure from previous WASM instance');", 'return;'],
  ];
  const guarded = changes.reduce((glue, [from, to]) => {
    if (!glue.includes(from)) throw new Error(`the glue holds no \`${from}\`: wasm-bindgen changed, look at guardedGlue again`);
    return glue.replaceAll(from, to);
  }, text);
  return `import { guarded, stale } from ${JSON.stringify(here('src/boundary/guard.ts'))};\n${guarded}`;
}

/** A Worker compiles no WebAssembly from bytes: it imports the file, compiled by the runtime. */
const compiled = {
  name: 'compiled',
  setup({ onResolve }) {
    onResolve({ filter: /\/bytes\.js$/ }, () => ({ path: './wasm/compaction_governor_bg.wasm', external: true }));
  },
};

const shared = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  loader: { '.wasm': 'binary' },
  plugins: [boundary],
  logLevel: 'warning',
};

if (process.argv.includes('--tests')) await bundleTests();
else await bundlePackage();

async function bundlePackage() {
  await build({ ...shared, entryPoints: [here('src/index.ts')], outfile: here('dist/index.js'), minify: true });
  await build({ ...shared, entryPoints: [here('src/index.ts')], outfile: here('dist/workerd.js'), minify: true, plugins: [compiled, boundary] });
  await copyFile(here('src/surface.d.ts'), here('dist/index.d.ts'));
  // With its white space, since minified code loses the marks by which bundlers know which formats an application leaves out.
  await build({ ...shared, entryPoints: [here('src/formats/index.ts')], outfile: here('dist/formats.js'), minifySyntax: true, minifyIdentifiers: true });
  await copyTypes('src/formats/surface.d.ts', 'dist/formats.d.ts');
  await build({ ...shared, entryPoints: [here('src/agents/index.ts')], outfile: here('dist/agents.js'), minify: true });
  await copyTypes('src/agents/surface.d.ts', 'dist/agents.d.ts');
  await build({ ...shared, entryPoints: [here('src/redact/index.ts')], outfile: here('dist/redact.js'), minify: true });
  await copyTypes('src/redact/surface.d.ts', 'dist/redact.d.ts');
  await build({ ...shared, entryPoints: [here('src/conformance/index.ts')], outfile: here('dist/conformance.js'), minify: true });
  await copyTypes('src/conformance/surface.d.ts', 'dist/conformance.d.ts');
  const entryPoints = [here('src/cli/index.ts')];
  await build({ ...shared, entryPoints, outfile: here('dist/cli.js'), platform: 'node', target: 'node20', minify: true, banner: { js: '#!/usr/bin/env node' } });
  await chmod(here('dist/cli.js'), 0o755);
}

/** In the package all types lie side by side. */
async function copyTypes(from, to) {
  const types = await readFile(here(from), 'utf8');
  await writeFile(here(to), types.replaceAll('../surface.js', './index.js'));
}

/** Under node_modules, where git, npm pack and the build's own inputs do not look. */
async function bundleTests() {
  const outdir = here('node_modules/.cache/tests');
  await rm(outdir, { recursive: true, force: true });
  const files = await readdir(here('test'), { recursive: true });
  const entryPoints = files.filter((file) => file.endsWith('.test.ts')).map((file) => here(`test/${file}`));
  const alias = { 'compaction-governor': here('src/index.ts'), 'compaction-governor/formats': here('src/formats/index.ts'), 'compaction-governor/redact': here('src/redact/index.ts'), 'compaction-governor/conformance': here('src/conformance/index.ts') };
  await build({ ...shared, entryPoints, outdir, outbase: here('test'), alias, platform: 'node', packages: 'bundle', external: ['fast-check'], sourcemap: 'inline', outExtension: { '.js': '.mjs' } });
}
