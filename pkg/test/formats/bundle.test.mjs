import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const entry = fileURLToPath(new URL('../../src/formats/index.ts', import.meta.url));
const own = { openaiChat: 'openai_chat', openaiResponses: 'openai_responses', anthropic: 'anthropic', gemini: 'gemini' };

async function bundled(contents, options) {
  const stdin = { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) };
  const { outputFiles } = await build({ stdin, bundle: true, write: false, format: 'esm', ...options });
  return outputFiles[0].text;
}

test('an application that uses one format carries no other, whether it bundles the sources or the package', async () => {
  // As build.mjs makes the package.
  const packed = await bundled(`export * from ${JSON.stringify(entry)}`, { minifySyntax: true, minifyIdentifiers: true });
  for (const [name, id] of Object.entries(own)) {
    for (const from of [entry, `data:text/javascript,${encodeURIComponent(packed)}`]) {
      const text = await bundled(`import { ${name} } from ${JSON.stringify(from)}; console.log(${name})`, { minify: true });
      assert.deepEqual(Object.values(own).filter((other) => text.includes(`name:"${other}"`)), [id]);
    }
  }
});
