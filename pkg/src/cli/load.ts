// The real engine, compiled to WebAssembly and carried inside this bundle, and the package's session on top of it.

import bytes from '../boundary/bytes.js';
import { Core, CoreSettings, StoreHandle, initSync } from '../boundary/glue.js';
import { openSession } from '../session/open.js';
import { memory } from '../stores.js';
import type { NewEngine } from './engine.js';
import type { NewSession } from './session.js';

/** Compiles the engine, once. Each session then lives in a memory store of its own. */
export function loadEngine(): NewEngine {
  initSync({ module: bytes });
  return (sessionId, windowTokens) => {
    const settings = new CoreSettings();
    settings.setWindow(windowTokens);
    return new Core(sessionId, StoreHandle.memory(), settings, OWNER, OWNER);
  };
}

/** The same engine behind the package's public session. */
export function loadSessions(): NewSession {
  initSync({ module: bytes });
  return ({ id, windowTokens, summarize }) => openSession({ id, store: memory(), contextWindow: windowTokens, summarize });
}

/** Nobody else shares a replay's store, and a replay is the same each time it runs: no number is drawn. */
const OWNER = 1;
