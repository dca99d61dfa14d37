/** The WebAssembly file as the runtime or its bundler compiled it; the build leaves these imports as they are. */
declare module '*/file.wasm' {
  const module: unknown;
  export default module;
}
declare module '*/file.wasm?module' {
  const module: unknown;
  export default module;
}
