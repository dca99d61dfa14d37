import wasm from '#wasm';

/** The compiled WebAssembly module of the governor. */
export const module: WebAssembly.Module = new WebAssembly.Module(wasm);
