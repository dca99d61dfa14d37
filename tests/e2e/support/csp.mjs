// The script of a page under a Content-Security-Policy: says what each entry of the package came to.
const file = '/dist/wasm/compaction_governor_bg.wasm';

async function used({ indexedDb, openSession }) {
  const session = openSession({ id: 'csp', store: indexedDb({ name: `csp-${Math.random()}` }) });
  const { found, durability } = await session.ready;
  await session.close();
  return `${found}, ${durability}`;
}

async function slim() {
  const entry = await import('/dist/slim.js');
  await entry.init(fetch(file));
  return entry;
}

const told = (entry) => entry.then(used).catch((error) => `${error.code}: ${error.message}`);
document.title = JSON.stringify({ inlined: await told(import('/dist/index.js')), slim: await told(slim()) });
