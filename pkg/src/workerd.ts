// The entry for Workers, which compile no bytes at run time: the file is a module that the runtime has compiled before.

import module from './boundary/file.wasm';
import { start } from './core.js';

start(module);

export * from './api.js';
