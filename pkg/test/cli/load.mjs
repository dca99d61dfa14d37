// Bundles one module of src/cli for a test, so that a test sees what is inside the terminal tool.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** @param {string} module Path below src/cli. */
export async function load(module) {
  const folder = await mkdtemp(join(tmpdir(), 'governor-cli-'));
  const outfile = join(folder, 'module.mjs');
  try {
    await build({
      entryPoints: [fileURLToPath(new URL(`../../src/cli/${module}`, import.meta.url))],
      outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'silent',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
