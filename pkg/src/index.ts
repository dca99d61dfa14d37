// The default entry: the WebAssembly file travels inside and is compiled at import, synchronously, without network or file access.

import bytes from './boundary/bytes.js';
import { start } from './core.js';

start(bytes);

export * from './api.js';
