// Web Locks in memory, for tests: one queue for each name, as one origin has it.

import type { LockOptions, Locks } from '../src/session/locks.js';

interface Request {
  readonly granted: (lock: unknown) => unknown;
  readonly end: (result: unknown) => void;
  readonly refuse: (error: Error) => void;
}

export class LockManager implements Locks {
  readonly names: string[] = [];
  readonly #held = new Map<string, Request>();
  readonly #queue: { name: string; request: Request }[] = [];

  request(name: string, { ifAvailable, steal, signal }: LockOptions, granted: (lock: unknown) => unknown): Promise<unknown> {
    this.names.push(name);
    return new Promise((end, refuse) => {
      const request: Request = { granted, end, refuse };
      if (steal) this.#held.get(name)?.refuse(new DOMException('stolen', 'AbortError'));
      if (steal || !this.#held.has(name)) return void this.#grant(name, request);
      if (ifAvailable) return end(granted(null));
      const place = { name, request };
      this.#queue.push(place);
      signal?.addEventListener('abort', () => {
        const at = this.#queue.indexOf(place);
        if (at >= 0) this.#queue.splice(at, 1);
        refuse(new DOMException('given up', 'AbortError'));
      });
    });
  }

  get held(): number {
    return this.#held.size;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** The tab that holds it is gone. */
  crash(name: string): void {
    this.#held.delete(name);
    this.#next(name);
  }

  async #grant(name: string, request: Request): Promise<void> {
    this.#held.set(name, request);
    request.end(await request.granted({ name }));
    if (this.#held.get(name) !== request) return;
    this.#held.delete(name);
    this.#next(name);
  }

  #next(name: string): void {
    const at = this.#queue.findIndex((waiting) => waiting.name === name);
    const [next] = at < 0 ? [] : this.#queue.splice(at, 1);
    if (next) void this.#grant(name, next.request);
  }
}
