// Bundles the entry points into dist, with the WASM that `cargo xtask build` left in dist/wasm; `--tests` bundles the
// tests instead. The types are written by hand and copied.
//
// The entries for import are a few lines each around `core.js`, and differ in how the WASM gets in: as text inside (`index`),
// as a file that the runtime compiles (`workerd`, `edge-light`), or from the host (`slim`). For `require` each is one file.
import { chmod, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** `src/boundary` and `src/conformance` declare generated glue and a WASM file each; here is where they are. */
const boundary = {
  name: 'boundary',
  setup({ onResolve, onLoad }) {
    const module = ({ path, resolveDir }) => (/conformance/.test(path) || /conformance$/.test(resolveDir) ? 'conformance' : 'compaction_governor');
    onResolve({ filter: /\/glue\.js$/ }, (asked) => ({ path: here(`dist/wasm/${module(asked)}.js`) }));
    onResolve({ filter: /\/bytes\.js$/ }, (asked) => ({ path: here(`dist/wasm/${module(asked)}_bg.wasm`), namespace: 'inside' }));
    onLoad({ filter: /./, namespace: 'inside' }, async ({ path }) => {
      const text = (await readFile(path)).toString('base64');
      return { contents: `import { decoded } from ${JSON.stringify(here('src/boundary/decoded.ts'))};\nexport default decoded("${text}");`, resolveDir: here('src') };
    });
    onResolve({ filter: /\/file\.wasm(\?module)?$/ }, ({ path }) => ({ path: path.replace('./boundary/file.wasm', FILE), external: true }));
    onLoad({ filter: /\/compaction_governor\.js$/ }, async ({ path }) => ({ contents: guardedGlue(await readFile(path, 'utf8')) }));
  },
};

/** The generated glue with `src/boundary/guard.ts` between it and the instance; a glue that reads otherwise is no build. */
function guardedGlue(text) {
  const changes = [
    ['wasm = instance.exports;', 'wasm = guarded(instance.exports);'],
    ['wasm = wasmInstance.exports;', 'wasm = guarded(wasmInstance.exports);'],
    ["throw new Error('Invalid stale object from previous Wasm instance');", 'throw stale();'],
    ['!(module instanceof WebAssembly.Module)', '!isModule(module)'],
    // Promises and requests of a dead instance still call back.
    ["throw new Error('Cannot invoke closure from previous WASM instance');", 'return;'],
  ];
  const guarded = changes.reduce((glue, [from, to]) => {
    if (!glue.includes(from)) throw new Error(`the glue holds no \`${from}\`: wasm-bindgen changed, look at guardedGlue again`);
    return glue.replaceAll(from, to);
  }, text);
  return `import { guarded, isModule, stale } from ${JSON.stringify(here('src/boundary/guard.ts'))};\n${guarded}`;
}

/** The tool reads the file that lies beside it. */
const fileBeside = {
  name: 'file beside',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /boundary\/bytes\.js$/ }, ({ path }) => ({ path, namespace: 'beside' }));
    onLoad({ filter: /./, namespace: 'beside' }, () => ({ contents: `import { readFileSync } from 'node:fs';\nexport default readFileSync(new URL('${FILE}', import.meta.url));` }));
  },
};

const FILE = './wasm/compaction_governor_bg.wasm';
const { version } = JSON.parse(await readFile(here('package.json'), 'utf8'));
const shared = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  define: { PACKAGE_VERSION: JSON.stringify(version) },
  plugins: [boundary],
  logLevel: 'warning',
};

if (process.argv.includes('--tests')) await bundleTests();
else await bundlePackage();

async function bundlePackage() {
  // What an earlier build made and this one does not would be packed too.
  for (const entry of await readdir(here('dist'), { withFileTypes: true })) if (entry.isFile()) await rm(here(`dist/${entry.name}`));
  const entries = ['index', 'workerd', 'edge-light', 'slim'].map((entry) => here(`src/${entry}.ts`));
  await build({ ...shared, entryPoints: entries, outdir: here('dist'), splitting: true, chunkNames: 'core', minify: true });
  // With its white space, since minified code loses the marks by which bundlers know which formats an application leaves out.
  await bundleEntry('formats/index', 'formats', { minifySyntax: true, minifyIdentifiers: true });
  await bundleEntry('agents/index', 'agents', { minify: true });
  await bundleEntry('redact/index', 'redact', { minify: true });
  await bundleEntry('conformance/index', 'conformance', { minify: true });
  const requirable = { index: 'index', slim: 'slim', formats: 'formats/index', redact: 'redact/index' };
  for (const [to, from] of Object.entries(requirable)) await bundleEntry(from, to, { minify: true, format: 'cjs', outfile: here(`dist/${to}.cjs`) });
  const types = { index: 'surface', stores: 'stores-surface', slim: 'slim-surface', formats: 'formats/surface', redact: 'redact/surface' };
  for (const [to, from] of Object.entries(types)) await copyTypes(from, to, ['.d.ts', '.d.cts']);
  for (const entry of ['agents', 'conformance']) await copyTypes(`${entry}/surface`, entry, ['.d.ts']);
  const tool = { platform: 'node', target: 'node20', minify: true, banner: { js: '#!/usr/bin/env node' }, plugins: [fileBeside, boundary] };
  await bundleEntry('cli/index', 'cli', tool);
  await chmod(here('dist/cli.js'), 0o755);
}

function bundleEntry(from, to, options) {
  return build({ ...shared, entryPoints: [here(`src/${from}.ts`)], outfile: here(`dist/${to}.js`), ...options });
}

/** In the package all types lie side by side, once for import and once for require. */
async function copyTypes(from, to, ends) {
  const types = await readFile(here(`src/${from}.d.ts`), 'utf8');
  const placed = (end) => (_, stores) => `./${stores ? 'stores' : 'index'}${end === '.d.ts' ? '.js' : '.cjs'}`;
  for (const end of ends) await writeFile(here(`dist/${to}${end}`), types.replaceAll(/\.\.?\/(stores-)?surface\.js/g, placed(end)));
}

/** Under node_modules, where git, npm pack and the build's own inputs do not look. */
async function bundleTests() {
  const outdir = here('node_modules/.cache/tests');
  await rm(outdir, { recursive: true, force: true });
  const files = await readdir(here('test'), { recursive: true });
  const entryPoints = files.filter((file) => file.endsWith('.test.ts')).map((file) => here(`test/${file}`));
  const alias = { 'compaction-governor': here('src/index.ts'), 'compaction-governor/slim': here('src/slim.ts'), 'compaction-governor/formats': here('src/formats/index.ts'), 'compaction-governor/redact': here('src/redact/index.ts'), 'compaction-governor/conformance': here('src/conformance/index.ts') };
  await build({ ...shared, entryPoints, outdir, outbase: here('test'), alias, platform: 'node', packages: 'bundle', external: ['fast-check'], sourcemap: 'inline', outExtension: { '.js': '.mjs' } });
}
