// A repaired copy of a file: the same conversation in the same format, with the changes that the core decided.

import { createWriteStream } from 'node:fs';
import { access, copyFile, constants, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FORMAT_TITLES, type Format } from '../../read/formats.js';
import type { Recording } from '../../read/recognise.js';
import type { Change } from './changes.js';
import { mendedDocument } from './document.js';
import { mendedLines } from './lines.js';
import { WRITERS } from './messages.js';
import { recordMenderFor } from './records.js';

/** Why no copy can be written to `out`; undefined where one can. */
export async function refusalOf(format: Format, out: string | undefined): Promise<string | undefined> {
  if (recordMenderFor(format) === undefined) return `${FORMAT_TITLES[format]} can be examined, and not written: repair it where it was recorded`;
  if (out === undefined) return undefined;
  const exists = await access(out).then(() => true, () => false);
  return exists ? `${out} exists, and nothing is overwritten: name another file` : undefined;
}

/** Whether every change has its place: a log of requests repeats its messages, and a message in it is no place. */
export function isPlaced({ document, unit, format }: Pick<Recording, 'document' | 'unit' | 'format'>, changes: readonly Change[]): boolean {
  // Lines are found by the ids of their calls, which such an export does not have.
  const byLine = document === undefined && unit === 'line' && format !== 'sharegpt';
  return byLine || changes.every(({ source }) => source !== undefined);
}

export async function writeRepaired(path: string, out: string, { format, document }: Recording, changes: readonly Change[]): Promise<void> {
  const writer = WRITERS[format];
  const mender = recordMenderFor(format);
  if (changes.length === 0) return await copyFile(path, out, constants.COPYFILE_EXCL);
  if (document !== undefined && writer !== undefined) await writeFile(out, mendedDocument(document, changes, writer), { flag: NEVER_OVER });
  else if (mender !== undefined) await pipeline(Readable.from(mendedLines(path, changes, mender)), createWriteStream(out, { flags: NEVER_OVER }));
}

/** Fails where the file exists by now. */
const NEVER_OVER = 'wx';
