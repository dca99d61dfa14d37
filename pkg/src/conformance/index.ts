// `compaction-governor/conformance`: the suite, with a WebAssembly module of its own.

import bytes from './bytes.js';
import { initSync } from './glue.js';

initSync({ module: bytes });

export { checkStore } from './check.js';
