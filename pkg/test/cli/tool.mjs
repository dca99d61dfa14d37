// Runs the built tool, as a person would.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const TOOL = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** @returns {Promise<{ code: number, out: string, err: string }>} */
export function tool(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [TOOL, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' } });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (err += text));
    child.on('error', reject).on('close', (code) => resolve({ code, out, err }));
  });
}

export const events = (out) => out.trimEnd().split('\n').map((line) => JSON.parse(line));
