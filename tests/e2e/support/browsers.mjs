// Real browsers on profiles that outlive them. CHROMIUM and FIREFOX override where they are looked for.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import puppeteer from 'puppeteer-core';

/** Both engines, each with what it takes to start quietly. */
export const engines = [
  { name: 'Chromium', browser: 'chrome', program: () => find('CHROMIUM', ['chromium', 'chromium-browser', 'google-chrome']), args: chromiumFlags() },
  { name: 'Firefox', browser: 'firefox', program: () => find('FIREFOX', ['firefox-esr', 'firefox']), args: [] },
];

/** Every engine that storage is broken in: Chromium once more, on the backend that it is moving to. */
export const storageEngines = [
  engines[0],
  { ...engines[0], name: 'Chromium (SQLite)', args: [...engines[0].args, '--enable-features=IdbSqliteBackingStore'] },
  engines[1],
];

/** A browser on a profile of its own, which `restart` keeps and `end` removes. */
export class Running {
  static async start(engine, options = {}) {
    const profile = await mkdtemp(join(tmpdir(), 'governor-profile-'));
    const running = new Running(engine, profile, options);
    await running.launch();
    return running;
  }

  constructor(engine, profile, options) {
    Object.assign(this, { engine, profile, options });
  }

  /** Ends the browser as a power cut of its process would: no handler runs. */
  async kill() {
    const child = this.browser.process();
    const gone = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-child.pid, 'SIGKILL');
    await gone;
    const locks = ['lock', '.parentlock', 'SingletonLock', 'SingletonCookie', 'SingletonSocket'];
    await Promise.all(locks.map((name) => rm(join(this.profile, name), { force: true })));
  }

  /** Starts it on its profile. */
  async launch() {
    const { browser, program, args } = this.engine;
    // A copy: puppeteer takes the flags that it merges with its own out of the list it is given.
    this.browser = await puppeteer.launch({ browser, executablePath: program(), args: [...args], userDataDir: this.profile, headless: true, ...this.options });
  }

  /** Ends it and starts it again on the same profile. */
  async restart() {
    await this.kill();
    await this.launch();
  }

  /** Ends the browser in order, and keeps the profile. */
  async stop() {
    await this.browser.close();
  }

  async end() {
    await this.browser.close().catch(() => this.kill());
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A tab that records what must never happen. */
export async function openTab(browser, prepare = async () => {}) {
  const page = await browser.newPage();
  page.mishaps = [];
  page.on('pageerror', (error) => page.mishaps.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && page.mishaps.push(message.text()));
  await prepare(page);
  return page;
}

function find(variable, names) {
  const given = process.env[variable];
  if (given) return given;
  const found = process.env.PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync);
  if (!found) throw new Error(`No ${names[0]} on the PATH; set ${variable} to its program.`);
  return found;
}

function chromiumFlags() {
  const flags = ['--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  return process.getuid?.() === 0 ? ['--no-sandbox', ...flags] : flags;
}
