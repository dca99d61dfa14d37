// The terminal tool as a function: arguments and streams in, an exit code out.

import type { NewEngine } from './engine.js';
import type { Emit } from './events.js';
import { type Command, HELP, commandFrom } from './options.js';
import { PeoplePrinter } from './print/people.js';
import { Progress, type ProgressStream } from './print/progress.js';
import { styleFor } from './print/style.js';
import { clean } from './print/words.js';
import { FORMAT_TITLES } from './read/formats.js';
import { type Recording, recognise } from './read/recognise.js';
import { sizeOf } from './read/source.js';
import { replay } from './replay.js';

export interface World {
  stdout: { write(text: string): unknown; isTTY?: boolean; columns?: number };
  stderr: ProgressStream;
  env: Readonly<Record<string, string | undefined>>;
  version: string;
  /** Milliseconds; only the progress bar looks at it. */
  clock: () => number;
  /** Loads the engine; asked only when a replay begins. */
  loadEngine: () => NewEngine;
}

export async function run(args: readonly string[], world: World): Promise<number> {
  const command = commandFrom(args);
  switch (command.kind) {
    case 'help':
      world.stdout.write(HELP);
      return DONE;
    case 'version':
      world.stdout.write(`${world.version}\n`);
      return DONE;
    case 'wrong':
      return complain(world, command.sentence, UNUSABLE);
    case 'replay':
      return await replayFile(command, world);
  }
}

type ReplayCommand = Extract<Command, { kind: 'replay' }>;

async function replayFile(command: ReplayCommand, world: World): Promise<number> {
  const { file } = command;
  let size: number;
  let found: Awaited<ReturnType<typeof recognise>>;
  try {
    size = await sizeOf(file);
    found = await recognise(file);
  } catch (error) {
    return complain(world, `Cannot read ${clean(file)}: ${whyNot(error)}.`, UNUSABLE);
  }
  if ('unknown' in found) {
    return complain(world, `Unknown format in ${clean(file)}: ${found.unknown}; what is read: ${Object.values(FORMAT_TITLES).join(', ')}.`, UNUSABLE);
  }
  return await replayFound(command, found, size, world);
}

async function replayFound(command: ReplayCommand, found: Recording, size: number, world: World): Promise<number> {
  const { file, mode, window } = command;
  const progress = new Progress(world.stderr, size, world.clock);
  const print = printer(command, world);
  const emit: Emit = (event) => {
    progress.clear();
    print(event);
  };
  try {
    await replay(found, { file, mode, window, newEngine: world.loadEngine(), progress: (bytes) => progress.at(bytes) }, emit);
    progress.clear();
    return DONE;
  } catch (error) {
    progress.clear();
    return complain(world, `The replay of ${clean(file)} stopped: ${whyNot(error)}.`, FAILED);
  }
}

function printer({ json }: ReplayCommand, { stdout, env }: World): Emit {
  if (json) return ({ type, ...rest }) => stdout.write(`${JSON.stringify({ type, ...rest })}\n`);
  const colour = stdout.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const columns = Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, stdout.columns ?? COLUMNS));
  const people = new PeoplePrinter({ columns, style: styleFor(colour), write: (text) => stdout.write(text) }, FORMAT_TITLES);
  return (event) => people.event(event);
}

function complain({ stderr }: World, sentence: string, code: number): number {
  stderr.write(`compaction-governor: ${sentence}\n`);
  return code;
}

function whyNot(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'the reason is unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const message = 'message' in error && typeof error.message === 'string' ? error.message : code;
  return REASONS[code] ?? clean(message.replace(/\.$/, ''));
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'access is denied',
  EPERM: 'access is denied',
};
const DONE = 0;
const FAILED = 1;
const UNUSABLE = 2;
const COLUMNS = 80;
const MIN_COLUMNS = 50;
/** Longer lines are harder to read, however wide the window is. */
const MAX_COLUMNS = 100;
