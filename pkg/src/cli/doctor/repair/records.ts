// How the lines of session files are mended. A line that goes leaves one in its place that no model reads, where other
// lines refer to it.

import { createHash } from 'node:crypto';
import { anthropic } from '../../../formats/anthropic/anthropic.js';
import { withoutBlobs } from '../../../formats/shape/blob.js';
import { openaiResponses } from '../../../formats/openai/openai-responses.js';
import { mapStrings } from '../../../formats/shape/strings.js';
import { type Fields, fields, isFields, list, text } from '../../json.js';
import type { Format } from '../../read/formats.js';
import type { Change } from './changes.js';
import { mendedMessage, type MessageWriter, NO_RESULT, saying, WRITERS } from './messages.js';

/** What to write in the place of one record: itself, others, or nothing. */
export interface RecordMender {
  /** `changes` are those of this line. */
  mended(record: Fields, changes: readonly Change[]): readonly object[];
  /** Results for those of its calls that are in `open`; each stands behind the record. */
  closing(record: Fields, open: ReadonlySet<string>): readonly object[];
  /** The same record, where another one now stands between it and the record it refers to. */
  relinked?(record: Fields, behind: ReadonlyMap<string, string>): Fields;
}

const claudeCode: RecordMender = {
  mended(record, changes) {
    const [message] = mendedMessage(fields(record['message']), changes, anthropic);
    const { uuid, parentUuid, sessionId, timestamp, isSidechain } = record;
    if (message === undefined) return [{ parentUuid, isSidechain, sessionId, type: 'system', subtype: 'informational', content: REMOVED, uuid, timestamp }];
    return [{ ...record, message }];
  },
  closing(record, open) {
    const { cwd, gitBranch, isSidechain, sessionId, timestamp, userType, uuid, version } = record;
    const wanted = list(fields(record['message'])['content']).map(fields).filter((block) => block['type'] === 'tool_use' && open.has(text(block['id'])));
    return wanted.flatMap((block) => anthropic.closing([text(block['id'])], NO_RESULT)).map((message, index) => ({
      parentUuid: index === 0 ? uuid : idFrom(uuid, index - 1), isSidechain, userType, cwd, sessionId, version, gitBranch, type: 'user', message, uuid: idFrom(uuid, index), timestamp,
    }));
  },
  relinked: (record, behind) => relinkedBy(record, 'parentUuid', behind),
};

const pi: RecordMender = {
  mended(record, changes) {
    const { id, parentId, timestamp } = record;
    const removed = { type: 'custom', customType: 'compaction-governor', ...(id === undefined ? {} : { id, parentId }), timestamp, data: { text: REMOVED } };
    if (changes.some(({ action }) => action === 'collapse' || action === 'drop')) return [removed];
    const merge = changes.find(({ action }) => action === 'merge');
    if (merge !== undefined) return [summing(record, merge.text)];
    const message = fields(record['message']);
    const content = list(message['content']).map((part) => (fields(part)['type'] === 'image' ? { type: 'text', text: '[image]' } : part));
    return [{ ...record, message: { ...message, content: mapStrings(content, withoutBlobs) } }];
  },
  closing({ id, timestamp, message }, open) {
    const wanted = list(fields(message)['content']).map(fields).filter((part) => part['type'] === 'toolCall' && open.has(text(part['id'])));
    return wanted.map((part, index) => ({
      type: 'message',
      ...(id === undefined ? {} : { id: idFrom(id, index).slice(0, 8), parentId: index === 0 ? id : idFrom(id, index - 1).slice(0, 8) }),
      timestamp,
      message: { role: 'toolResult', toolCallId: part['id'], toolName: part['name'], content: [{ type: 'text', text: NO_RESULT }], isError: true },
    }));
  },
  relinked: (record, behind) => relinkedBy(record, 'parentId', behind),
};

/** Summaries of pi are messages, or records of their own. */
function summing(record: Fields, said: string): Fields {
  const message = record['message'];
  if (record['type'] === 'branch_summary') return { ...record, summary: said };
  if (!isFields(message)) return { ...record, content: said };
  return { ...record, message: typeof message['summary'] === 'string' ? { ...message, summary: said } : saying(message, said) };
}

/** Lines of Codex do not refer to each other. */
const codex: RecordMender = {
  mended(record, changes) {
    return mendedMessage(fields(record['payload']), changes, openaiResponses).map((payload) => ({ ...record, payload }));
  },
  closing(record, open) {
    const payload = fields(record['payload']);
    if (!open.has(text(payload['call_id'])) || !/_call$/.test(text(payload['type']))) return [];
    const { calls } = openaiResponses.message(payload);
    return openaiResponses.closing(calls, NO_RESULT).map((closing) => ({ timestamp: record['timestamp'], type: 'response_item', payload: closing }));
  },
};

/** One message a line. */
function messageLines(writer: MessageWriter): RecordMender {
  return {
    mended: (record, changes) => mendedMessage(record, changes.filter(({ action }) => action !== 'close'), writer),
    closing(record, open) {
      const calls = writer.message(record).calls.filter((id) => open.has(id));
      return writer.closing(calls, NO_RESULT, record);
    },
  };
}

export function recordMenderFor(format: Format): RecordMender | undefined {
  const writer = WRITERS[format];
  return { claude_code: claudeCode, pi, codex }[text(format)] ?? (writer && messageLines(writer));
}

function relinkedBy(record: Fields, member: string, behind: ReadonlyMap<string, string>): Fields {
  const last = behind.get(text(record[member]));
  return last === undefined ? record : { ...record, [member]: last };
}

/** An id that is the same each time the same file is repaired. */
function idFrom(id: unknown, index: number): string {
  const hex = createHash('sha256').update(`${text(id)} ${index}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

const REMOVED = 'Removed by compaction-governor doctor.';
