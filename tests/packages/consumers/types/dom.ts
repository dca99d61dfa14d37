// With the platform's own types: a response goes straight in, and so does a compiled module.
import { init, initSync } from 'compaction-governor/slim';

export const begun = init(fetch('governor.wasm'));
initSync(new WebAssembly.Module(new Uint8Array()));
