// Mends a damaged conversation: what is wrong was found by the core, what changes here is the shape of messages.

import type { Reader } from '../formats/reader.js';
import type { RepairChange } from '../surface.js';
import { joinedOf, LONE_SURROGATE } from './joined.js';

/** One change, as the core names it. */
export interface Repair {
  readonly action: number;
  readonly index: number;
  /** For a summary, where the newest one stands; for a call, how many results it lacks. */
  readonly reference: number;
}

export const Action = { collapse: 1, drop: 2, close: 3, stripMedia: 4 } as const;

export function repairsOf(triples: Uint32Array): Repair[] {
  const repairs: Repair[] = [];
  for (let i = 0; i + 2 < triples.length; i += 3) {
    const [action = 0, index = 0, reference = 0] = triples.subarray(i, i + 3);
    repairs.push({ action, index, reference });
  }
  return repairs;
}

/** The core counts results, of which a message may hold several and for several messages; the calls' ids say which never came. */
export function confirmed<M>(messages: readonly M[], repairs: readonly Repair[], reader: Pick<Reader<M>, 'message'>): Repair[] {
  return repairs.flatMap((repair) => {
    if (repair.action !== Action.close) return [repair];
    const reference = unanswered(messages, repair.index, reader).length;
    return reference === 0 ? [] : [{ ...repair, reference }];
  });
}

export function changeOf({ action, index, reference }: Repair): RepairChange {
  switch (action) {
    case Action.collapse:
      return { code: 'summary_merged', index, sentence: `message ${index} is a summary that the one at ${reference} replaces; both become one` };
    case Action.close:
      return { code: 'results_added', index, sentence: `message ${index} calls tools and ${reference === 1 ? 'one result' : `${reference} results`} never came; said so in the results' place` };
    case Action.stripMedia:
      return { code: 'media_removed', index, sentence: `message ${index} is of an old turn; its images and data become placeholders` };
    default:
      return { code: 'dropped', index, sentence: `message ${index} is a result without its call, or leads to nothing; a provider would refuse it` };
  }
}

/** The mended copy. Messages that nothing is wrong with stay the same objects; merged summaries become one of ours, which every reader knows again. */
export function repaired<M>(
  messages: readonly M[],
  repairs: readonly Repair[],
  reader: Pick<Reader<M>, 'message' | 'text' | 'summaryMessage' | 'withoutMedia' | 'closing'>,
  collapse: (joined: string, offsets: Uint32Array) => string,
): M[] {
  const of = new Map(repairs.map((repair) => [repair.index, repair]));
  const merged = mergedSummary(messages, repairs, reader, collapse);
  return messages.flatMap((message, index) => {
    if (index === merged?.index) return [reader.summaryMessage(merged.text)];
    const repair = of.get(index);
    switch (repair?.action) {
      case undefined:
        return [message];
      case Action.close:
        return [message, ...reader.closing(unanswered(messages, index, reader), NEVER_CAME)];
      case Action.stripMedia:
        return [reader.withoutMedia(message)];
      default:
        return [];
    }
  });
}

function mergedSummary<M>(
  messages: readonly M[],
  repairs: readonly Repair[],
  reader: Pick<Reader<M>, 'text'>,
  collapse: (joined: string, offsets: Uint32Array) => string,
): { index: number; text: string } | undefined {
  const piled = repairs.filter(({ action }) => action === Action.collapse);
  const index = piled[0]?.reference;
  if (index === undefined) return undefined;
  const texts = [...piled.map((repair) => repair.index), index].map((at) => reader.text(messages[at]).replace(LONE_SURROGATE, '\ufffd'));
  const { joined, offsets } = joinedOf(texts);
  return { index, text: collapse(joined, offsets) };
}

/** The calls of the message at `index` that nothing behind it answers. */
function unanswered<M>(messages: readonly M[], index: number, reader: Pick<Reader<M>, 'message'>): string[] {
  const answered = new Set(messages.slice(index).flatMap((message) => [...reader.message(message).answers]));
  return reader.message(messages[index]).calls.filter((id) => !answered.has(id));
}

const NEVER_CAME = '[no result: the tool call was interrupted and its result never came]';
