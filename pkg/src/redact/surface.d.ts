// The public surface of compaction-governor/redact, written by hand; the build copies it to dist/redact.d.ts.

/**
 * A hook for `openSession({ redact })` that puts `[redacted: …]` in the place of every secret that one of these rules finds. Made for the
 * rules of `@secretlint/secretlint-rule-preset-recommend`; any of that shape will do, your own too. Each sees a text as a file of
 * unknown kind. A comment in a text that would switch a rule off switches nothing off. It rejects where a rule throws: such a text is left out.
 */
export function withoutSecrets(rules: readonly SecretRule[], options?: RuleOptions): (text: string) => Promise<string>;

/** A rule of secretlint; only what is used. */
export interface SecretRule {
  readonly meta: { readonly id: string };
  readonly create: (context: never, options: never) => object;
}
/** What a rule is told, by its id: `{ '@secretlint/secretlint-rule-aws': { enableIDScanRule: true } }`. */
export type RuleOptions = Readonly<Record<string, object>>;
