// The entry point `compaction-governor/redact`: a hook for `openSession({ redact })`, made of rules that others keep. None
// of them is in here; a host brings them. What secretlint's own runner does beside running them (profiling, files,
// comments that switch rules off) has no place in a page.

import { compactionError } from '../errors.js';
import type { RuleOptions, SecretRule } from './surface.js';

export function withoutSecrets(rules: readonly SecretRule[], options: RuleOptions = {}): (text: string) => Promise<string> {
  const used = rules.filter(({ meta }) => meta.id !== SWITCHES_OFF);
  if (used.length === 0) throw compactionError('invalid_option', 'withoutSecrets was given no rule; pass those of a rule set, such as `rules` of @secretlint/secretlint-rule-preset-recommend');
  return async (text) => replaced(text, (await Promise.all(used.map((rule) => findings(rule, options[rule.meta.id] ?? {}, text)))).flat());
}

/** Where a secret stands, and by which rule. */
interface Finding {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

async function findings(rule: SecretRule, options: object, text: string): Promise<Finding[]> {
  const found: Finding[] = [];
  const name = rule.meta.id.replace(/^.*secretlint-rule-/, '');
  const report = ({ range: [from, to] }: { range: readonly [number, number] }): number => found.push({ from, to, name });
  if (!isCreate(rule.create)) throw compactionError('invalid_option', `the rule ${name} has no function create`);
  const { file } = rule.create({ createTranslator: () => () => ({}), report, ignore: () => undefined, sharedOptions: {} }, options);
  await file?.({ content: text, contentType: 'text', ext: '', filePath: SEEN_AS });
  return found;
}

/** Findings may overlap: a password inside of an address, one key by two rules. */
function replaced(text: string, found: readonly Finding[]): string {
  let said = '';
  let at = 0;
  for (const { from, to, name } of [...found].sort((a, b) => a.from - b.from || b.to - a.to)) {
    if (from >= at) said += `${text.slice(at, from)}[redacted: ${name}]`;
    at = Math.max(at, to);
  }
  return said + text.slice(at);
}

type Create = (context: object, options: object) => { readonly file?: (source: object) => unknown };

/** The rule's own types are those of its runner. */
function isCreate(create: unknown): create is Create {
  return typeof create === 'function';
}

/** Lets a text say which secrets in it are not to be found. */
const SWITCHES_OFF = '@secretlint/secretlint-rule-filter-comments';
/** Some rules look only into files of this name, and none looks away from one. */
const SEEN_AS = '.npmrc';
