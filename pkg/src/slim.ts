// `compaction-governor/slim`: the same without the file, which the host brings when and from where it likes.

import load from './boundary/glue.js';
import { start, startError } from './core.js';
import type { WasmModule, WasmSource } from './slim-surface.js';

export * from './api.js';

export async function init(source: WasmSource | PromiseLike<WasmSource>): Promise<void> {
  try {
    await load({ module_or_path: await source });
  } catch (error) {
    throw startError(error);
  }
}

export function initSync(module: WasmModule | ArrayBuffer | Uint8Array): void {
  start(module);
}
