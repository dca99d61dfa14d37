// From what a format says about itself to the reader that everything else works with.

import { readFailure } from '../answers/failure.js';
import { readOverflow } from '../answers/overflow.js';
import type { Pieces } from './pieces.js';
import type { Reader, Reading, TextCount } from '../reader.js';
import { Render } from './render.js';
import { readReply } from '../answers/reply.js';
import { capped, replaced, withoutMedia, type Rules } from './rewrite.js';
import { Scan } from './scan.js';
import { readUsage } from '../answers/usage.js';

type Made = 'summaryMessage' | 'lateResult' | 'requestMessages' | 'instruction' | 'closing';
type Shared = 'id' | 'replaced' | 'capped' | 'withoutMedia' | 'usage' | 'reply' | 'overflow' | 'failure';

/** A format: how its messages are read, how they are made smaller, how new ones look. What is left out is as most formats have it. */
export interface Shape<M> extends Pick<Reader<M>, 'name' | Made>, Partial<Pick<Reader<M>, Shared>> {
  /** Tells the pieces of `message` in their order. */
  describe(message: unknown, to: Pieces): void;
  readonly rules: Rules;
}

/** A reader that can be told how the host begins its own summaries. */
export interface FormatReader<M> extends Reader<M> {
  marked(marker: string): Reader<M>;
}

/** `marker`: how the host begins the summaries that it wrote itself. */
export function readerOf<M>(shape: Shape<M>, marker?: string): FormatReader<M> {
  const { rules, describe, ...given } = shape;
  const read = (message: unknown, count?: TextCount): Reading => {
    const scan = new Scan(marker, count);
    describe(message, scan);
    return scan.reading();
  };
  const render = (message: unknown): string => {
    const text = new Render();
    describe(message, text);
    return text.toString();
  };
  return {
    id: () => undefined,
    replaced: (message, text) => replaced(message, text, rules),
    capped: (message, bytes) => capped(message, bytes, rules),
    withoutMedia: (message) => withoutMedia(message, rules),
    usage: readUsage,
    reply: readReply,
    overflow: readOverflow,
    failure: readFailure,
    ...given,
    message: read,
    text: render,
    marked: (other) => readerOf(shape, other),
  };
}
