// The terminal tool as a function: arguments and streams in, an exit code out.

import { Life } from '../boundary/guard.js';
import { examine } from './doctor/examine.js';
import { isPlaced, refusalOf, writeRepaired } from './doctor/repair/repair.js';
import type { NewEngine } from './engine.js';
import type { Emit } from './events.js';
import { type Command, HELP, commandFrom } from './options.js';
import { printReport } from './print/diagnosis.js';
import { PeoplePrinter } from './print/people.js';
import { Progress, type ProgressStream } from './print/progress.js';
import { styleFor } from './print/style.js';
import { Table, type Terminal } from './print/table.js';
import { clean } from './print/words.js';
import { FORMAT_TITLES } from './read/formats.js';
import { type Recording, recognise } from './read/recognise.js';
import { sizeOf } from './read/source.js';
import { replay } from './replay.js';
import type { NewSession } from './session.js';

export interface World {
  stdout: { write(text: string): unknown; isTTY?: boolean; columns?: number };
  stderr: ProgressStream;
  env: Readonly<Record<string, string | undefined>>;
  version: string;
  /** Milliseconds; only the progress bar looks at it. */
  clock: () => number;
  /** Loads the engine; asked only when a replay begins. */
  loadEngine: () => NewEngine;
  /** Loads the package's session on top of it. */
  loadSessions: () => NewSession;
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
    case 'doctor':
      return await readFile(command, world);
  }
}

type FileCommand = Extract<Command, { kind: 'replay' | 'doctor' }>;

async function readFile(command: FileCommand, world: World): Promise<number> {
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
  const progress = new Progress(world.stderr, size, world.clock);
  try {
    return await (command.kind === 'replay' ? replayFound(command, found, progress, world) : doctorFound(command, found, progress, world));
  } catch (error) {
    progress.clear();
    const what = command.kind === 'replay' ? 'replay' : 'examination';
    return complain(world, `The ${what} of ${clean(file)} stopped: ${whyNot(error)}.`, command.kind === 'replay' ? FAILED : UNUSABLE);
  }
}

async function replayFound({ file, mode, window, json }: Extract<FileCommand, { kind: 'replay' }>, found: Recording, progress: Progress, world: World): Promise<number> {
  const print = json ? lineWriter(world) : peoplePrinter(world);
  const emit: Emit = (event) => {
    progress.clear();
    print(event);
  };
  const [newEngine, newSession] = [world.loadEngine(), world.loadSessions()];
  await Life.current.outlived(() => replay(found, { file, mode, window, newEngine, newSession, progress: (bytes) => progress.at(bytes) }, emit));
  progress.clear();
  return DONE;
}

/** 1 says that something was found; that something went wrong inside is 2, lest a script take it for a finding. */
async function doctorFound({ file, window, json, repair }: Extract<FileCommand, { kind: 'doctor' }>, found: Recording, progress: Progress, world: World): Promise<number> {
  const out = repair?.dryRun === false ? repair.out : undefined;
  const refusal = repair && (await refusalOf(found.format, out));
  if (refusal !== undefined) return complain(world, `Cannot repair ${clean(file)}: ${clean(refusal)}.`, UNUSABLE);
  const newEngine = world.loadEngine();
  const { report, changes } = await Life.current.outlived(() => examine(found, { file, window, newEngine, repairing: repair !== undefined, progress: (bytes) => progress.at(bytes) }));
  progress.clear();
  if (!isPlaced(found, changes)) return complain(world, `Cannot repair ${clean(file)}: it is a log of requests, each of which repeats the conversation; repair the conversation itself.`, UNUSABLE);
  if (out !== undefined) await writeRepaired(file, out, found, changes);
  if (out !== undefined && report.repair !== undefined) report.repair.out = out;
  if (json) world.stdout.write(`${JSON.stringify(report)}\n`);
  else printReport(report, FORMAT_TITLES[report.format], new Table(terminalOf(world)));
  return report.healthy ? DONE : FOUND;
}

function lineWriter({ stdout }: World): Emit {
  return ({ type, ...rest }) => stdout.write(`${JSON.stringify({ type, ...rest })}\n`);
}

function peoplePrinter(world: World): Emit {
  const people = new PeoplePrinter(terminalOf(world), FORMAT_TITLES);
  return (event) => people.event(event);
}

function terminalOf({ stdout, env }: World): Terminal {
  const colour = stdout.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const columns = Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, stdout.columns ?? COLUMNS));
  return { columns, style: styleFor(colour), write: (text) => stdout.write(text) };
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
const FOUND = 1;
const UNUSABLE = 2;
const COLUMNS = 80;
const MIN_COLUMNS = 50;
/** Longer lines are harder to read, however wide the window is. */
const MAX_COLUMNS = 100;
