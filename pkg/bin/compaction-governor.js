#!/usr/bin/env node
// Stands here before anything is built, so that npm can link it; the tool itself is dist/cli.js.
import { existsSync } from 'node:fs';

const tool = new URL('../dist/cli.js', import.meta.url);
if (existsSync(tool)) {
  await import(tool.href);
} else {
  console.error('compaction-governor: not built yet; run `cargo xtask build` first.');
  process.exitCode = 1;
}
