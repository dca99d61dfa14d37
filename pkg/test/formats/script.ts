// Conversations without a format: who asks what, which tools are called and what comes back. Every adapter writes them out in its own shapes.

import fc from 'fast-check';

export interface Script {
  readonly system: string | undefined;
  readonly turns: readonly Turn[];
  /** The model's window, in tokens. */
  readonly window: number;
  /** How many of the messages the host has when it asks for a view, as shares of all. */
  readonly looks: readonly number[];
  /** Compacts by hand as well. */
  readonly byHand: boolean;
}

export interface Turn {
  readonly asks: string;
  readonly picture: boolean;
  readonly steps: readonly Step[];
  readonly answer: string;
  readonly thought: string | undefined;
}

export interface Step {
  readonly says: string;
  readonly thought: string | undefined;
  readonly calls: readonly Call[];
  /** The results come in the opposite order. */
  readonly reversed: boolean;
  /** The provider runs a tool of its own first. */
  readonly closed: boolean;
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly result: string;
  /** `late`: after the next user message; `missing`: never. */
  readonly fate: 'answered' | 'late' | 'missing';
}

const size = fc.integer({ min: 0, max: 60 });
const call = fc.record({ name: fc.constantFrom('read', 'write', 'run'), input: size, result: size, fate: fc.constantFrom(...Array<'answered'>(10).fill('answered'), 'late' as const, 'missing' as const) });
const step = fc.record({ says: size, thinks: fc.boolean(), calls: fc.array(call, { minLength: 1, maxLength: 3 }), reversed: fc.boolean(), closed: fc.boolean() });
const turn = fc.record({ asks: size, picture: fc.boolean(), steps: fc.array(step, { maxLength: 3 }), answer: size, thinks: fc.boolean() });

/** Every text says which one it is, so that no two messages are the same. */
export const script: fc.Arbitrary<Script> = fc
  .record({
    system: fc.option(size, { nil: undefined }),
    turns: fc.array(turn, { minLength: 2, maxLength: 7 }),
    window: fc.constantFrom(700, 1_500, 3_000),
    looks: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 3 }),
    byHand: fc.boolean(),
  })
  .map(({ system, turns, ...rest }) => {
    let texts = 0;
    const text = (words: number): string => `text ${texts++}${' lorem ipsum'.repeat(words)}`;
    const written = turns.map(({ steps, thinks, ...turn }) => ({
      asks: text(turn.asks),
      picture: turn.picture,
      steps: steps.map(({ calls, thinks, ...step }) => ({
        ...step,
        says: text(step.says),
        thought: thinks ? text(3) : undefined,
        calls: calls.map((call) => ({ ...call, id: `call_${texts}`, input: text(call.input), result: text(call.result) })),
      })),
      answer: text(turn.answer),
      thought: thinks ? text(3) : undefined,
    }));
    return { ...rest, system: system === undefined ? undefined : text(system), turns: written };
  });

/** The results of `step` that come in time, in their order. */
export function resultsOf(step: Step): readonly Call[] {
  const answered = step.calls.filter(({ fate }) => fate === 'answered');
  return step.reversed ? answered.toReversed() : answered;
}

/** The results of `turn` that come after the next user message. */
export function lateOf(turn: Turn | undefined): readonly Call[] {
  return turn?.steps.flatMap(({ calls }) => calls.filter(({ fate }) => fate === 'late')) ?? [];
}

/** A picture that no text could be taken for. */
export const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
