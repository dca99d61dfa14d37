/** The crate's `tokens::rough`, here so that text need not cross: UTF-8 bytes / 3.5, rounded up, never above bytes. */
export function rough(bytes: number): number {
  return Math.min(Math.ceil((bytes * 2) / 7), bytes);
}
