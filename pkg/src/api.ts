// What every entry point exports. The entries differ only in how the WebAssembly file gets in.

export { decodeRecord } from './records.js';
export { isCompactionError } from './errors.js';
export { durableObject } from './durable-object.js';
export { compactIfNeeded, openSession } from './session/open.js';
export { injected } from './injected.js';
export { sessions } from './sessions.js';
export { aesGcm } from './seal.js';
export { indexedDb, localStorageStore, memory } from './stores.js';
