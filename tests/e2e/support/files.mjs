// The raw files of a browser's profile.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of this profile's databases that hold `text`. */
export async function holding(profile, text) {
  const names = await readdir(profile, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const found = [];
  for (const path of files.filter((path) => /IndexedDB|\/idb\//.test(path))) {
    // A file may go while the engine tidies up.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    if (bytes.includes(text)) found.push(path.slice(profile.length + 1));
  }
  return found;
}
