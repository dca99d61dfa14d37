import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cellOf, seen, tool, versionOf } from './support/cell.mjs';

const RESOLUTIONS = { bundler: { module: 'ESNext', moduleResolution: 'Bundler' }, nodenext: { module: 'NodeNext', moduleResolution: 'NodeNext' } };
const LIBRARIES = { 'without the DOM library': ['ES2022'], 'with the DOM library': ['ES2022', 'DOM', 'DOM.Iterable'] };
/** What users write must compile, and what they must not write must not: the checkout's own examples of both. */
const shared = (file) => join(process.env.REPOSITORY, 'pkg/test/types', file);

for (const typescript of ['typescript', 'typescript-6', 'typescript-5']) {
  const version = versionOf(typescript);
  for (const [library, lib] of Object.entries(LIBRARIES)) {
    test(`TypeScript ${version} takes the types ${library}, for import and for require`, async () => {
      const folder = cellOf('types');
      for (const file of ['surface.ts', 'signal.ts']) copyFileSync(shared(file), join(folder, file));
      for (const [name, resolution] of Object.entries(RESOLUTIONS)) {
        const files = ['surface.ts', 'entries.ts'];
        if (lib.length > 1) files.push('signal.ts', 'dom.ts');
        if (name === 'nodenext') files.push('required.cts');
        const compilerOptions = { target: 'ES2022', lib, types: [], strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true, ...resolution };
        writeFileSync(join(folder, `${name}.json`), JSON.stringify({ compilerOptions, files }));
        await tool(folder, typescript, 'bin/tsc', ['--project', `${name}.json`]);
      }
      seen('TypeScript', version, `types, ${library}`, 'compiler');
    });
  }
}
