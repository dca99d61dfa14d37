// The public surface of compaction-governor/slim, written by hand; the build copies it to dist/slim.d.ts.
// Everything of the package, without the WebAssembly file: until `init` or `initSync`, whatever needs it throws `not_started`.

export * from './surface.js';

/** A compiled `WebAssembly.Module`, where the platform has one. */
export type WasmModule = object & (typeof globalThis extends { WebAssembly: { Module: { prototype: infer T } } } ? T : object);
/** The file of `compaction-governor/wasm`: its URL, the answer to a request for it, its bytes, or the module made from it. */
export type WasmSource = string | { readonly href: string } | { arrayBuffer(): PromiseLike<ArrayBuffer> } | ArrayBuffer | Uint8Array | WasmModule;

/** Compiles the file while it arrives. A second call is harmless. Rejects with `wasm_blocked` or `wasm_failed`. */
export function init(source: WasmSource | PromiseLike<WasmSource>): Promise<void>;
/** The same at once, from what is there already. Throws the same errors. */
export function initSync(module: WasmModule | ArrayBuffer | Uint8Array): void;
