// What a store was made from, readable from another bundle: the conformance suite makes it again in a module of its own.

import type { InjectedStore } from './surface.js';

export const DESCRIBED: unique symbol = Symbol.for('compaction-governor.store');

export type Described =
  | { readonly kind: 'memory' }
  | { readonly kind: 'indexed_db'; readonly name: string | undefined; readonly strict: boolean }
  | { readonly kind: 'local_storage'; readonly name: string | undefined }
  | { readonly kind: 'injected'; readonly object: InjectedStore; readonly oneContext: boolean; readonly survives: number; readonly maxValueBytes: number };
