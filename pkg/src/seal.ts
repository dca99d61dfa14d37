// AES-GCM by the platform's own crypto: what seals a session where the host asks for no more than that.

import { compactionError } from './errors.js';
import type { Codec, SealingKey } from './surface.js';

/** Seals with the key that `key` gives, once it is needed. A key that cannot be had now is asked for again at the next call. */
export function aesGcm(key: SealingKey | (() => Promise<SealingKey>)): Codec {
  let known: Promise<SealingKey> | undefined;
  const having = (): Promise<SealingKey> => (known ??= given(key).catch((error: unknown) => {
    known = undefined;
    throw error;
  }));
  return {
    async seal(bytes, about) {
      const { subtle, drawn } = platform();
      const iv = drawn(NONCE_BYTES);
      const sealed = new Uint8Array(await subtle.encrypt({ name: 'AES-GCM', iv, additionalData: about }, await having(), bytes));
      const joined = new Uint8Array(NONCE_BYTES + sealed.length);
      joined.set(iv);
      joined.set(sealed, NONCE_BYTES);
      return joined;
    },
    async open(sealed, about) {
      const { subtle } = platform();
      const using = await having();
      const [iv, text] = [sealed.slice(0, NONCE_BYTES), sealed.slice(NONCE_BYTES)];
      // Another key, another place, or other bytes than were sealed: the platform tells them apart as little as we do.
      return subtle.decrypt({ name: 'AES-GCM', iv, additionalData: about }, using, text).then((bytes) => new Uint8Array(bytes), () => undefined);
    },
  };
}

/** A key that no script can read, not even one of the same page. */
export function unreadableKey(): Promise<SealingKey> {
  return platform().subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

async function given(key: SealingKey | (() => Promise<SealingKey>)): Promise<SealingKey> {
  return typeof key === 'function' ? key() : key;
}

/** Pages that were not loaded over https have no `subtle`. */
function platform(): { readonly subtle: Subtle; readonly drawn: (bytes: number) => Uint8Array } {
  const found: Platform | undefined = typeof crypto === 'undefined' ? undefined : crypto;
  const subtle = found?.subtle;
  if (!found || !subtle) throw compactionError('key_unavailable', 'this page has no crypto.subtle; sealing needs https');
  return { subtle, drawn: (bytes) => found.getRandomValues(new Uint8Array(bytes)) };
}

interface Platform {
  getRandomValues(into: Uint8Array): Uint8Array;
  readonly subtle?: Subtle;
}
/** As much of SubtleCrypto as is used here. */
export interface Subtle {
  generateKey(kind: { name: 'AES-GCM'; length: number }, extractable: boolean, uses: ('encrypt' | 'decrypt')[]): Promise<SealingKey>;
  encrypt(kind: Bound, key: SealingKey, bytes: Uint8Array): Promise<ArrayBuffer>;
  decrypt(kind: Bound, key: SealingKey, bytes: Uint8Array): Promise<ArrayBuffer>;
}
interface Bound {
  name: 'AES-GCM';
  iv: Uint8Array;
  additionalData: Uint8Array;
}

/** What AES-GCM is made for; drawn anew for every part that is sealed. */
const NONCE_BYTES = 12;
