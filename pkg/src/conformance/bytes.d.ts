/** The WebAssembly file of the suite, put in by the build as base64. */
declare const bytes: Uint8Array;
export default bytes;
