// The command line, as a command to carry out or a sentence about what is wrong with it.

import { parseArgs } from 'node:util';
import type { Mode } from './events.js';

export type Command =
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'replay'; file: string; mode: Mode; window: number | undefined; json: boolean }
  | { kind: 'doctor'; file: string; window: number | undefined; json: boolean; repair: Repair | undefined }
  | { kind: 'wrong'; sentence: string };

/** A repaired copy that is asked for; a dry run only lists what would change. */
export interface Repair {
  out: string | undefined;
  dryRun: boolean;
}

export const HELP = `Usage: compaction-governor replay FILE [--observe | --simulate
                 | --summarize scripted] [--window N] [--json]
       compaction-governor doctor FILE [--repair OUT] [--dry-run]
                 [--window N] [--json]

Reads a recorded conversation. Nothing leaves this machine, no model is called,
and no message text is printed. The format is recognised from the content:
OpenAI chat messages and Responses items, Anthropic messages, Gemini contents,
AI SDK and TanStack UIMessages, LangChain messages, ShareGPT-like exports, and
the files of Claude Code, Codex, pi, Kimi CLI, gemini-cli, OpenHands, SWE-agent
and aider.

replay runs it through the governor and says where that would have compacted,
refused or paused, and whether the recording's own compactions helped.

  --observe    The recording's own compactions are the passes, judged by the
               recorded usage; nothing is assumed. This is the default.
  --simulate   The governor compacts with a scripted summariser that keeps
               10 % of its slice; later figures are lower by what that saved.
               Every such line is marked "simulated". Compactions of the
               recording are left out.
  --summarize scripted
               The same, but with the messages themselves: whole compactions
               through the package's public session, whose requests a scripted
               summariser answers. Views are told by their sizes; pauses take
               as long as they take, so none of them ends during the replay.
  --json       One JSON object a line: "recording" first, "summary" last,
               between them "window", "decision", "compaction", "verdict",
               "ignored", "rewind", "unreadable", "note"; when simulating also
               "failed", "overflow", "left_out", when summarising "view", and
               in both "simulated": true on each line.

doctor says what is wrong with the conversation as it stands at its end:
summaries that piled up, calls without results and results without calls, what
is large, what is fixed, what one pass would bring, and which past passes did
not help.

  --repair OUT Writes a repaired copy in the same format and lists each change:
               summaries but the newest taken out, results without a call
               dropped, calls given up closed, pictures and encoded data of old
               turns removed. FILE is never touched, OUT never overwritten.
  --dry-run    Lists the changes and writes nothing.
  --json       One JSON object: "diagnosis".

  --window N   The model's window in tokens. Default: what the recording says,
               else 200,000 for Claude, else 128,000.
  --help       This text.
  --version    The version.

Exit code of replay: 0 done; 1 something went wrong inside. Of doctor: 0 nothing
found; 1 something found. Of both: 2 the command line, the file or its format
cannot be used.
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
  if (command !== 'replay' && command !== 'doctor') return wrong(`There is no command ${quoted(command)}`);
  if (file === undefined) return wrong(`${command} needs a FILE`);
  if (more.length > 0) return wrong(`${command} reads one FILE, and ${more.length + 1} were given`);
  const modes = MODES.filter((mode) => values[mode] !== undefined);
  if (modes.length > 1) return wrong(`--${modes[0]} and --${modes[1]} exclude each other`);
  if (values.summarize !== undefined && values.summarize !== 'scripted') return wrong(`--summarize takes "scripted", not ${quoted(values.summarize)}`);
  const window = values.window === undefined ? undefined : windowFrom(values.window);
  if (Number.isNaN(window)) return wrong(`--window takes a whole number of tokens from ${MIN_WINDOW} to ${MAX_WINDOW}, not ${quoted(values.window ?? '')}`);
  const json = values.json ?? false;
  if (command === 'replay' && (values.repair !== undefined || values['dry-run'])) return wrong('--repair and --dry-run belong to doctor');
  if (command === 'replay') return { kind: 'replay', file, mode: modes[0] ?? 'observe', window, json };
  if (modes.length > 0) return wrong(`doctor takes no --${modes[0]}`);
  const dryRun = values['dry-run'] ?? false;
  return { kind: 'doctor', file, window, json, repair: values.repair === undefined && !dryRun ? undefined : { out: values.repair, dryRun } };
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
  summarize: { type: 'string' },
  repair: { type: 'string' },
  'dry-run': { type: 'boolean' },
  window: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;
const MODES = ['observe', 'simulate', 'summarize'] as const;
/** Smaller windows leave no room for a single exchange. */
const MIN_WINDOW = 256;
const MAX_WINDOW = 100_000_000;
