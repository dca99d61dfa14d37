// Hands inside localStorage: both slots of a session spoilt, all items of a store deleted.

export function damage(prefix: string, session: string): void {
  for (const slot of ['a', 'b']) localStorage.setItem(`${prefix}/${slot}/${session}`, 'spoilt');
}

export function remove(prefix: string): void {
  const keys = Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i));
  for (const key of keys) if (key?.startsWith(`${prefix}/`)) localStorage.removeItem(key);
}

declare const localStorage: { readonly length: number; key(index: number): string | null; setItem(key: string, value: string): void; removeItem(key: string): void };
