// The package under a Content-Security-Policy: what README tells to allow is enough, and without it the error says so.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engines, openTab, Running } from './support/browsers.mjs';
import { here, serve } from './support/site.mjs';

const POLICIES = { allowed: "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'", forbidden: "default-src 'none'; script-src 'self'; connect-src 'self'" };
const page = '<!doctype html><title></title><link rel="icon" href="data:,"><script type="module" src="/support/csp.mjs"></script>';

let site;
before(async () => {
  const routes = Object.entries(POLICIES).map(([name, policy]) => [`/${name}`, (_, reply) => reply.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy }).end(page)]);
  site = await serve({ '/dist/': here('pkg/dist/'), '/support/': here('tests/e2e/support/') }, Object.fromEntries(routes));
});
after(() => site.close());

for (const engine of engines) {
  test(`a policy with wasm-unsafe-eval lets the package run in ${engine.name}, and one without is named in the error`, async () => {
    const running = await Running.start(engine);
    try {
      const told = async (name) => {
        const tab = await openTab(running.browser);
        await tab.goto(`${site.url}${name}`);
        const title = await tab.waitForFunction(() => document.title);
        return JSON.parse(await title.jsonValue());
      };
      assert.deepEqual(await told('allowed'), { inlined: 'new, durable', slim: 'new, durable' });
      const { inlined, slim } = await told('forbidden');
      for (const refusal of [inlined, slim]) assert.match(refusal, /^wasm_blocked: .*'wasm-unsafe-eval'/);
    } finally {
      await running.end();
    }
  });
}
