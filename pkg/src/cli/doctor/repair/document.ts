// A document with its messages mended: the same JSON, written as the file was.

import { type Fields, isFields } from '../../json.js';
import type { Document } from '../../read/recognise.js';
import type { Change } from './changes.js';
import { mendedMessage, type MessageWriter } from './messages.js';

export function mendedDocument(document: Document, changes: readonly Change[], writer: MessageWriter): string {
  const bySource = new Map<Fields, Change[]>();
  for (const change of changes) {
    if (change.source !== undefined) bySource.set(change.source, [...(bySource.get(change.source) ?? []), change]);
  }
  mendLists(document.value, bySource, writer);
  const indent = /^\s*[[{]\r?\n([ \t]+)/.exec(document.text)?.[1];
  return JSON.stringify(document.value, undefined, indent) + (document.ended ? '\n' : '');
}

/** Every list that holds one of the messages, wherever a format keeps it. */
function mendLists(root: unknown, bySource: ReadonlyMap<Fields, readonly Change[]>, writer: MessageWriter): void {
  const waiting: [value: unknown, depth: number][] = [[root, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, depth] = next;
    if (Array.isArray(value) && value.some((one) => bySource.has(one))) {
      const mended: unknown[] = value.flatMap((one: unknown) => (isFields(one) ? (mendedBy(bySource, one, writer) ?? [one]) : [one]));
      value.splice(0, value.length, ...mended);
    } else if (depth < MAX_DEPTH && typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) waiting.push([inner, depth + 1]);
    }
  }
}

function mendedBy(bySource: ReadonlyMap<Fields, readonly Change[]>, message: Fields, writer: MessageWriter): object[] | undefined {
  const changes = bySource.get(message);
  return changes && mendedMessage(message, changes, writer);
}

/** A run in a list, a thread in its values: messages lie no deeper. */
const MAX_DEPTH = 5;
