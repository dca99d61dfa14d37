/** A token count as it is shown: grouped, never shortened, so that it can be compared with a record. */
export function tokens(count: number): string {
  return count.toLocaleString('en');
}

/** Bytes as they are shown. */
export function bytes(count: number): string {
  return `${count.toLocaleString('en')} B`;
}

/** What is left of a time, in minutes and seconds; never negative. */
export function countdown(until: number, now: number): string {
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** A time of day. */
export function clock(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB');
}
