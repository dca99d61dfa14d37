// The entry for edge runtimes of the Vercel kind: `?module` asks the bundler for a compiled module.

import module from './boundary/file.wasm?module';
import { start } from './core.js';

start(module);

export * from './api.js';
