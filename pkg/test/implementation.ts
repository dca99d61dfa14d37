// The entry exports what the hand-written types promise, no more and no less. Checked by `tsc`, never run.
import type * as surface from '../src/surface.js';
import type * as api from '../src/api.js';

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
export const sameNames: Same<keyof typeof surface, keyof typeof api> = true;
declare const implemented: typeof api;
export const promised: typeof surface = implemented;
