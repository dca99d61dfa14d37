import type { Random } from './random.js';
import type { Line } from './script-lines.js';
import { rough } from './tokens.js';

/** What a tool printed, at least `tokens` long: the bulk of any coding conversation. */
export function toolOutput(tool: Line['tool'], target: string, tokens: number, random: Random): string {
  const rows = [heads[tool](target)];
  let size = rough(rows[0] ?? '');
  while (size < tokens) {
    const row = rowOf[tool](rows.length, random);
    rows.push(row);
    size += rough(`${row}\n`);
  }
  return rows.join('\n');
}

const heads: Record<Line['tool'], (target: string) => string> = {
  read: (target) => `--- ${target}`,
  grep: (target) => `matches for ${target}`,
  test: (target) => `> test ${target}`,
  log: (target) => (target === '' ? 'nightly job, last run' : `tail ${target}`),
};

const rowOf: Record<Line['tool'], (row: number, random: Random) => string> = {
  read: (row, random) => `${row}\t${random.pick(code)}`,
  grep: (row, random) => `${random.pick(files)}:${row * 3 + random.below(3)}: ${random.pick(code).trim()}`,
  test: (row, random) => `ok ${row} - ${random.pick(subjects)} ${random.pick(outcomes)} (${1 + random.below(40)} ms)`,
  log: (row, random) => `${clock(row, random)} ${random.pick(levels)} invoice=${410000 + random.below(9000)} ${random.pick(notes)}`,
};

function clock(row: number, random: Random): string {
  const pad = (n: number): string => String(n).padStart(2, '0');
  return `23:${pad(row % 60)}:${pad(random.below(60))}`;
}

const files = ['export/period.ts', 'export/run.ts', 'vat/report.ts', 'dunning/run.ts', 'bank/import.ts', 'shop/defaults.ts'] as const;
const code = [
  'export function monthOf(moment: Moment, zone: Zone): Month {',
  '  const local = zone.at(moment);',
  '  return { year: local.year, month: local.month };',
  '  if (period.month !== invoice.month) moved.push(invoice.id);',
  'const zone = shop.zone ?? defaultZone;',
  'for (const invoice of invoices.between(first, last)) {',
  '  await archive.keep(file, { replaced: previous?.checksum });',
  '  // the bank reads the file again when its checksum changed',
  '  total = total.plus(invoice.gross).minus(invoice.refunds);',
  'import { Moment, Zone } from "../time/zone.js";',
] as const;
const subjects = ['month of an invoice', 'export of a short month', 'vat report', 'dunning run', 'known file', 'replaced archive entry'] as const;
const outcomes = ['keeps the local day', 'is written once', 'ends at midnight', 'skips what it knows', 'survives a killed run'] as const;
const levels = ['info', 'info', 'info', 'debug', 'warn'] as const;
const notes = ['written period=2025-12', 'written period=2026-01', 'zone=Europe/Berlin', 'matched payment', 'archive kept 2 versions', 'mail queued to accounting'] as const;
