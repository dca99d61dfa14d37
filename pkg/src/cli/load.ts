// The real engine behind `Engine`, compiled to WebAssembly and carried inside this bundle.

import bytes from '../boundary/bytes.js';
import { Core, CoreSettings, StoreHandle, initSync } from '../boundary/glue.js';
import type { NewEngine } from './engine.js';

/** Compiles the engine, once. Each session then lives in a memory store of its own. */
export function loadEngine(): NewEngine {
  initSync({ module: bytes });
  return (sessionId, windowTokens) => {
    const settings = new CoreSettings();
    settings.setWindow(windowTokens);
    return new Core(sessionId, StoreHandle.memory(), settings, OWNER, OWNER);
  };
}

/** Nobody else shares a replay's store, and a replay is the same each time it runs: no number is drawn. */
const OWNER = 1;
