// The terminal tool: what `npx compaction-governor` runs.

import { readFileSync } from 'node:fs';
import { loadEngine, loadSessions } from './load.js';
import { run } from './run.js';

const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown';

// A reader that has seen enough (`| head`) closes the pipe; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  version,
  clock: () => performance.now(),
  loadEngine,
  loadSessions,
});
