// The entries export what the hand-written types promise, no more and no less. Checked by `tsc`, never run.
import type * as surface from '../src/surface.js';
import type * as api from '../src/api.js';
import type * as formatSurface from '../src/formats/surface.js';
import type * as formats from '../src/formats/index.js';
import type * as redactSurface from '../src/redact/surface.js';
import type * as redact from '../src/redact/index.js';

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
export const sameNames: Same<keyof typeof surface, keyof typeof api> = true;
declare const implemented: typeof api;
export const promised: typeof surface = implemented;

export const sameFormats: Same<keyof typeof formatSurface, keyof typeof formats> = true;
declare const implementedFormats: typeof formats;
export const promisedFormats: typeof formatSurface = implementedFormats;

export const sameRedact: Same<keyof typeof redactSurface, keyof typeof redact> = true;
declare const implementedRedact: typeof redact;
export const promisedRedact: typeof redactSurface = implementedRedact;
