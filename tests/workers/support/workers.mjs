// Workers in workerd, each with a folder for its objects: asked, killed, and started again on what was kept.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { Miniflare } from 'miniflare';
import { modulesOf } from './bundle.mjs';

export const COMPATIBILITY_DATE = '2026-04-01';

/** Starts the Worker at `entry`; what is started is ended with the tests of the file. */
export async function startWorkers(entry, options) {
  const workers = await Workers.at(entry, options);
  after(() => workers.end());
  await workers.start();
  return workers;
}

export class Workers {
  #miniflare;
  #options;
  #folder;
  #pid;

  /** `objects`: binding to class; `beside`: more Workers. */
  static async at(entry, { objects = {}, beside = [], ...options } = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'compaction-governor-workers-'));
    const modules = await modulesOf(entry);
    const durableObjects = Object.fromEntries(Object.entries(objects).map(([binding, className]) => [binding, typeof className === 'string' ? { className, useSQLite: true } : className]));
    const all = [{ name: 'main', modules, durableObjects, ...options }, ...beside].map((worker) => ({ compatibilityDate: COMPATIBILITY_DATE, ...worker }));
    return new Workers(folder, { workers: all, durableObjectsPersist: join(folder, 'objects'), d1Persist: join(folder, 'd1') });
  }

  constructor(folder, options) {
    this.#folder = folder;
    this.#options = options;
  }

  async start() {
    const before = new Set(workerdsOf(process.pid));
    this.#miniflare = new Miniflare(this.#options);
    this.address = await this.#miniflare.ready;
    this.#pid = workerdsOf(process.pid).find((pid) => !before.has(pid));
    if (!this.#pid) throw new Error('workerd was not found among the children of this process');
  }

  fetch(path, init) {
    return this.#miniflare.dispatchFetch(new URL(path, this.address), init);
  }

  /** What `object` answers to `command`; an error of its own is thrown with its name and facts. */
  async ask(object, command, argument = {}) {
    const response = await this.fetch(`/${encodeURIComponent(object)}/${command}`, { method: 'POST', body: JSON.stringify(argument) });
    const { answer, error } = await response.json();
    if (error) throw Object.assign(new Error(error.message), error);
    return answer;
  }

  /** Ends the process as a machine that fails does, and starts another one on what was kept. */
  async killAndRestart() {
    process.kill(this.#pid, 'SIGKILL');
    await this.#miniflare.dispose().catch(() => undefined);
    await this.start();
  }

  async restart() {
    await this.stop();
    await this.start();
  }

  async stop() {
    await this.#miniflare.dispose().catch(() => undefined);
  }

  /** Nothing is left of it. */
  async end() {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Memory of the process, in MB. */
  megabytes() {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(this.#pid)], { encoding: 'utf8' })) / 1_024;
  }
}

function workerdsOf(parent) {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' });
  const rows = listed.split('\n').map((line) => line.trim().split(/\s+/));
  return rows.filter(([, of, name]) => Number(of) === parent && /(^|\/)workerd$/.test(name)).map(([pid]) => Number(pid));
}
