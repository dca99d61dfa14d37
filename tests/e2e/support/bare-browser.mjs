// A browser for the tests of one engine.
import { after, before, beforeEach } from 'node:test';
import { bareSite } from './bare.mjs';
import { Running } from './browsers.mjs';

/** For the tests of a `describe`: the site, a browser of `engine` on it, and a context of its own for each test. */
export function bareBrowser(engine) {
  const bare = {};
  before(async () => {
    bare.site = await bareSite();
    bare.running = await Running.start(engine);
  });
  after(async () => {
    await bare.running?.end();
    bare.site?.close();
  });
  beforeEach(async () => {
    await bare.context?.close();
    bare.context = await bare.running.browser.createBrowserContext();
  });
  return bare;
}
