// The default entry: the WebAssembly file travels inside and is compiled at import, synchronously, without network or file access.

import bytes from './boundary/bytes.js';
import { initSync } from './boundary/glue.js';

initSync({ module: bytes });

export * from './api.js';
