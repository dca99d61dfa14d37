import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
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

test('the ready-made redaction works in a page, with the two modules of Node that its rules name left empty', async () => {
  const redact = fileURLToPath(new URL('../../src/redact/index.ts', import.meta.url));
  const application = `import { rules } from '@secretlint/secretlint-rule-preset-recommend'; import { withoutSecrets } from ${JSON.stringify(redact)}; globalThis.redact = withoutSecrets(rules);`;
  const empty = fileURLToPath(new URL('empty.mjs', import.meta.url));
  const text = await bundled(application, { platform: 'browser', format: 'iife', minify: true, alias: { 'node:path': empty, 'node:fs': empty } });
  const alone = await bundled(`import { withoutSecrets } from ${JSON.stringify(redact)}; globalThis.redact = withoutSecrets;`, { minify: true });
  const sizes = [gzipSync(text, { level: 9 }).length, gzipSync(alone, { level: 9 }).length];
  console.log(`gzip: ${sizes[0]} bytes with the rules, ${sizes[1]} without`);
  assert.ok(sizes[0] < 20_000 && sizes[1] < 1_500, String(sizes));
  const page = createContext({ URL, atob });
  runInContext(text, page);
  assert.equal(await page.redact(`the token ghp_${'a1'.repeat(18)} and an id 9fceb02d0ae598e95dc970b74767f19372d61af8`), 'the token [redacted: github] and an id 9fceb02d0ae598e95dc970b74767f19372d61af8');
});

test('who does not import the redaction carries none of it', async () => {
  const index = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
  assert.ok(!(await bundled(`export * from ${JSON.stringify(index)}`, {})).includes('redacted: '));
});
