// Every tsconfig of the package, each a kind of project that must compile: ours, its tests, and users' with and without the DOM library.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const projects = ['tsconfig.json', 'src/cli/tsconfig.json', 'test/tsconfig.json', 'test/types/tsconfig.bare.json', 'test/types/tsconfig.dom.json', 'test/types/tsconfig.nodenext.json'];
const cwd = fileURLToPath(new URL('.', import.meta.url));
const failed = projects.filter((project) => spawnSync('tsc', ['--noEmit', '--project', project], { cwd, stdio: 'inherit', shell: process.platform === 'win32' }).status !== 0);
if (failed.length > 0) {
  console.error(`types do not hold in ${failed.join(', ')}`);
  process.exitCode = 1;
}
