// WebKitGTK's plain MiniBrowser on a page that asks this process what to do. Under WebDriver the session would end with the processes
// that are killed here. MINIBROWSER and XVFB_RUN override where the programs are looked for.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { here, serve } from './site.mjs';

/** MiniBrowser's program and that of its screen; `undefined` where this machine lacks one. */
export function miniBrowser() {
  const program = find(process.env.MINIBROWSER, ['MiniBrowser', ...DEBIAN]);
  const screen = find(process.env.XVFB_RUN, ['xvfb-run']);
  return program && screen && { program, screen };
}

/** One MiniBrowser on `support/remote.html`, with a home folder of its own. */
export class Remote {
  #asked = [];
  #waiting = new Map();
  #number = 0;
  #loads = 0;

  static async start({ program, screen }) {
    const remote = new Remote();
    const routes = { '/command': (request, reply) => remote.#command(request, reply), '/answer': (request, reply) => remote.#answer(request, reply) };
    remote.site = await serve({ '/package/': here('pkg/dist'), '/support/': here('tests/e2e/support'), '/': here('tests/e2e/support') }, routes);
    remote.home = await mkdtemp(join(tmpdir(), 'governor-webkit-'));
    const folders = Object.fromEntries(['HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_RUNTIME_DIR'].map((name) => [name, remote.home]));
    remote.process = spawn(screen, ['--auto-servernum', program, `${remote.site.url}remote.html`], { detached: true, stdio: 'ignore', env: { ...process.env, ...folders, ...UNBOXED } });
    await remote.evaluate(() => true);
    return remote;
  }

  /** Runs `work` in the page with values that JSON can carry, and gives its result. */
  async evaluate(work, ...given) {
    this.#number += 1;
    const id = this.#number;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#asked.push({ id, source: `(${work})(${given.map((value) => JSON.stringify(value)).join(', ')})` });
    const timer = setTimeout(() => this.#waiting.get(id)?.reject(new Error('the page does not answer')), ANSWER_MS);
    return answer.finally(() => clearTimeout(timer));
  }

  /** Loads the page anew. */
  async reload() {
    const loads = this.#loads;
    // Late enough for this answer to be sent.
    await this.evaluate(() => void setTimeout(() => location.reload(), 100));
    while (this.#loads === loads) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** Ends WebKit's network process, which also holds the databases, as a crash would. */
  async killNetworkProcess() {
    const pids = await descendants(this.process.pid);
    const named = await Promise.all(pids.map(async (pid) => ({ pid, line: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') })));
    const found = named.find(({ line }) => line.includes('WebKitNetworkProcess'));
    if (!found) throw new Error('no WebKitNetworkProcess under this MiniBrowser');
    process.kill(found.pid, 'SIGKILL');
  }

  async end() {
    // WebKit starts its processes in groups of their own.
    const pids = [...(await descendants(this.process.pid)), this.process.pid];
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended with its parent.
      }
    }
    this.site.close();
    await rm(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  #command({ url }, reply) {
    // The first question of a page says so.
    if (url.endsWith('?first')) this.#loads += 1;
    reply.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    reply.end(JSON.stringify(this.#asked.shift() ?? {}));
  }

  async #answer(request, reply) {
    const { id, value, error } = JSON.parse(await text(request));
    if (error === undefined) this.#waiting.get(id)?.resolve(value);
    else this.#waiting.get(id)?.reject(new Error(error));
    this.#waiting.delete(id);
    reply.end();
  }
}

async function descendants(root) {
  const parents = new Map();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isBelow = (pid) => pid !== undefined && pid > 1 && (parents.get(pid) === root || isBelow(parents.get(pid)));
  return [...parents.keys()].filter(isBelow);
}

function find(given, names) {
  if (given) return given;
  return process.env.PATH.split(delimiter).flatMap((folder) => names.map((name) => (name.startsWith('/') ? name : join(folder, name)))).find(existsSync);
}

/** Where Debian keeps it, which is not on the PATH. */
const DEBIAN = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/webkit2gtk-4.1/MiniBrowser`);
/** Its sandbox does not start in a container; what runs in it is ours alone. Without a graphics card it draws nothing anyway. */
const UNBOXED = { WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', WEBKIT_DISABLE_COMPOSITING_MODE: '1', LIBGL_ALWAYS_SOFTWARE: '1' };
/** Above the store's own deadline of ten seconds, twice. */
const ANSWER_MS = 30_000;
