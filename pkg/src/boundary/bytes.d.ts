/** The WebAssembly file, put in by the build as base64. */
declare const bytes: Uint8Array;
export default bytes;
