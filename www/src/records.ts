import { decodeRecord, type StoredRecord } from 'compaction-governor';

/** The root record of a session in plain words, a line for each field. */
export function rootInWords(records: readonly StoredRecord[], session: string): string {
  const root = records.find(({ part }) => part === 'root');
  return root === undefined ? 'nothing' : JSON.stringify(decodeRecord(root.bytes, session), null, 2);
}
