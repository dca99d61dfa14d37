// A folder in which the built package and the tools that consume it are found, as in an application.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const { CONSUMER_TOOLS } = process.env;
if (!CONSUMER_TOOLS) throw new Error('CONSUMER_TOOLS names no folder; run this by `cargo xtask bench`');

/** Calls `use` with the folder, which is gone afterwards. */
export async function inFreshFolder(use) {
  const folder = mkdtempSync(join(CONSUMER_TOOLS, 'bench-'));
  try {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(fileURLToPath(new URL('../../', import.meta.url)), join(folder, 'node_modules/compaction-governor'));
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One of the tools, imported. */
export const tool = (name) => import(pathToFileURL(createRequire(join(CONSUMER_TOOLS, 'x.js')).resolve(name)).href);
