// A folder, or several, as a site on a free port of this machine.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A path of the repository. */
export const here = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Serves folders, each under its prefix; the first that has the file answers. `routes` come first: functions of request and reply. */
export async function serve(folders, routes = {}) {
  const server = createServer(async (request, reply) => {
    const path = normalize(new URL(request.url, 'http://site').pathname);
    if (routes[path]) return routes[path](request, reply);
    const file = await firstFile(folders, path.endsWith('/') ? `${path}index.html` : path);
    reply.writeHead(file ? 200 : 404, { 'content-type': TYPES[extname(path)] ?? TYPES['.html'] });
    reply.end(file);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => { server.closeAllConnections(); server.close(); } };
}

/** A route that answers with what `answer` gives. */
export const json = (answer) => async (_, reply) => reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await answer()));

/** The built page: where PAGE_URL says it is served, or served from www/dist. */
export async function pageSite() {
  const { PAGE_URL } = process.env;
  if (PAGE_URL) return { url: PAGE_URL.endsWith('/') ? PAGE_URL : `${PAGE_URL}/`, close() {} };
  return serve({ '/': here('www/dist') });
}

async function firstFile(folders, path) {
  for (const [prefix, folder] of Object.entries(folders)) {
    if (!path.startsWith(prefix)) continue;
    const file = await readFile(join(folder, path.slice(prefix.length))).catch(() => undefined);
    if (file) return file;
  }
  return undefined;
}

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
