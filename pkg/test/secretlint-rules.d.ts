// The rules as their own package types them. Its declarations name packages that it does not bring, which only `skipLibCheck` lets pass.
import type { SecretLintRuleCreator } from '@secretlint/types';
export const rules: SecretLintRuleCreator[];
