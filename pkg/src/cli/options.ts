// The command line, as a command to carry out or a sentence about what is wrong with it.

import { parseArgs } from 'node:util';

export type Command =
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'replay'; file: string; mode: 'observe' | 'simulate'; window: number | undefined; json: boolean }
  | { kind: 'wrong'; sentence: string };

export const HELP = `Usage: compaction-governor replay FILE [--observe | --simulate]
                                       [--window N] [--json]

Runs a recorded conversation through the governor and says where it would have
compacted, refused or paused, and whether the recording's compactions helped.
Reads OpenAI chat messages (JSON or JSONL), Claude Code JSONL and pi session
JSONL; the format is recognised from the content. Nothing leaves this machine,
no model is called, and no message text is printed.

  --observe    The recording's own compactions are the passes, judged by the
               recorded usage; nothing is assumed. This is the default.
  --simulate   The governor compacts with a scripted summariser that keeps
               10 % of its slice; later figures are lower by what that saved.
               Every such line is marked "simulated". Compactions of the
               recording are left out.
  --window N   The model's window in tokens. Default: what the recording says,
               else 200,000 for Claude, else 128,000.
  --json       One JSON object a line: "recording" first, "summary" last,
               between them "window", "decision", "compaction", "verdict",
               "ignored", "rewind", "unreadable", "note"; when simulating also
               "failed", "overflow", "left_out", and "simulated": true on
               each line.
  --help       This text.
  --version    The version.

Exit code: 0 done; 1 something went wrong inside; 2 the command line, the file
or its format cannot be used.
`;

export function commandFrom(args: readonly string[]): Command {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    return wrong(problem(error));
  }
  const { values, positionals } = parsed;
  if (values.help) return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  const [command, file, ...more] = positionals;
  if (command === undefined) return wrong('No command was given');
  if (command !== 'replay') return wrong(`There is no command ${quoted(command)}`);
  if (file === undefined) return wrong('replay needs a FILE');
  if (more.length > 0) return wrong(`replay reads one FILE, and ${more.length + 1} were given`);
  if (values.observe && values.simulate) return wrong('--observe and --simulate exclude each other');
  const window = values.window === undefined ? undefined : windowFrom(values.window);
  if (Number.isNaN(window)) return wrong(`--window takes a whole number of tokens from ${MIN_WINDOW} to ${MAX_WINDOW}, not ${quoted(values.window ?? '')}`);
  return { kind: 'replay', file, mode: values.simulate ? 'simulate' : 'observe', window, json: values.json ?? false };
}

/** "200000", "200,000", "200_000" and "200k" name the same window. */
function windowFrom(given: string): number {
  const match = /^(\d[\d_,]*)(k?)$/i.exec(given.trim());
  if (match === null) return Number.NaN;
  const tokens = Number(match[1]?.replace(/[_,]/g, '')) * (match[2] === '' ? 1 : 1_000);
  return tokens >= MIN_WINDOW && tokens <= MAX_WINDOW ? tokens : Number.NaN;
}

function wrong(what: string): Command {
  return { kind: 'wrong', sentence: `${what}; see compaction-governor --help.` };
}

/** The first sentence of what parseArgs says; the rest is advice about escaping. */
function problem(error: unknown): string {
  const message = error instanceof Error ? error.message : 'The command line cannot be read';
  return message.split(/[.\n]/, 1)[0] ?? message;
}

function quoted(value: string): string {
  return `"${value.length > 40 ? `${value.slice(0, 40)}…` : value}"`;
}

const OPTIONS = {
  observe: { type: 'boolean' },
  simulate: { type: 'boolean' },
  window: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;
/** Smaller windows leave no room for a single exchange. */
const MIN_WINDOW = 256;
const MAX_WINDOW = 100_000_000;
