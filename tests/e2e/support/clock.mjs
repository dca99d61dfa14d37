// In the page, before its scripts: clocks that are not right, and a patience that is short.

/** `Date` runs `window.ahead` ms ahead, and stands still while `window.frozen` is set. */
export function bentClock() {
  window.ahead = 0;
  const now = Date.now.bind(Date);
  Date.now = () => (window.frozen ?? now()) + window.ahead;
}

/** Deadlines of the store, ten seconds each, pass in half a second. */
export function shortDeadlines() {
  const wait = window.setTimeout.bind(window);
  window.setTimeout = (work, ms, ...given) => wait(work, ms >= 10_000 ? ms / 20 : ms, ...given);
}
