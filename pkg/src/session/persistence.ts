// What the browser says of this origin's storage, and the one polite request to keep it.

import { fieldsAt, isFields } from '../formats/shape/json.js';
import type { StorageReport } from '../surface.js';

/** Whether it keeps the storage when space gets short; `undefined` where nobody can say. Asks nothing of the person. */
export async function isPersisted(): Promise<boolean | undefined> {
  return flag(await called('persisted'));
}

/** Asks for it: once per page, however many sessions there are. Some browsers ask the person, and may answer much later. */
export function askToPersist(): Promise<boolean | undefined> {
  // Only a page can ask; a worker hears what a page was answered.
  return fieldsAt(globalThis, 'document') ? (answer ??= ask()) : isPersisted();
}

export async function storageReport(): Promise<StorageReport> {
  const [estimate, persisted] = await Promise.all([called('estimate'), isPersisted()]);
  const usage = sizeAt(estimate, 'usage');
  const quota = sizeAt(estimate, 'quota');
  return { ...(usage === undefined ? {} : { usage }), ...(quota === undefined ? {} : { quota }), ...(persisted === undefined ? {} : { persisted }) };
}

async function ask(): Promise<boolean | undefined> {
  return (await isPersisted()) || flag(await called('persist'));
}

/** What a method of the storage manager answers; `undefined` where there is none, or it fails. */
async function called(method: string): Promise<unknown> {
  try {
    const manager = fieldsAt(fieldsAt(globalThis, 'navigator'), 'storage');
    const call = manager?.[method];
    return typeof call === 'function' ? await call.call(manager) : undefined;
  } catch {
    return undefined;
  }
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** Bytes: more than a token count can be. */
function sizeAt(value: unknown, key: string): number | undefined {
  const size = isFields(value) ? value[key] : undefined;
  return typeof size === 'number' && size >= 0 ? size : undefined;
}

let answer: Promise<boolean | undefined> | undefined;
