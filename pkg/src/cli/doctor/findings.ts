// What of a diagnosis is wrong, as sentences with their numbers and what to do. The guards and the planner judge sizes.

import { count, number } from '../print/words.js';
import type { Diagnosis, Finding } from './diagnosis.js';

type Found = Omit<Diagnosis, 'findings'>;

export function findingsOf(found: Found): Finding[] {
  return [...summaries(found), ...orphans(found), ...sizes(found), ...passes(found)];
}

/** One summary stands for what came before it; a second one beside it was never merged. */
function summaries({ summaries: { messages, tokens }, view }: Found): Finding[] {
  const all = messages + Number(view.summaryTokens > 0);
  if (all < 2) return [];
  const sentence = `${number(all)} summaries of about ${number(tokens + view.summaryTokens)} tokens stand beside each other where one would do: a pass of the governor merges them.`;
  return [{ code: 'summary_pile_up', sentence }];
}

function orphans({ orphans: { calls, results } }: Found): Finding[] {
  const open = `${count(calls.length, 'message')} with tool calls whose results never came, though the conversation went on: providers refuse that; close them or drop them.`;
  const stray = `${count(results.length, 'tool result')} without ${results.length === 1 ? 'its' : 'their'} call: providers refuse that; drop ${results.length === 1 ? 'it' : 'them'}.`;
  return [...(calls.length > 0 ? [{ code: 'orphan_calls', sentence: open } as const] : []), ...(results.length > 0 ? [{ code: 'orphan_results', sentence: stray } as const] : [])];
}

/** What the governor would do now is no fault as long as it holds. */
function sizes({ decision, pass }: Found): Finding[] {
  if (decision.action === 'blocked') return [{ code: decision.reason === 'floor_bound' ? 'floor_bound' : 'paused', sentence: decision.sentence }];
  if (decision.action !== 'compact') return [];
  if (pass.possible || pass.reason !== 'floor_bound') return [{ code: 'pass_due', sentence: decision.sentence }];
  return [{ code: 'floor_bound', sentence: pass.sentence }];
}

function passes({ pastPasses: { made, useless, uselessTokens } }: Found): Finding[] {
  if (useless.length === 0) return [];
  const cost = uselessTokens === null ? 'what they cost was not recorded' : `about ${number(uselessTokens)} tokens were spent on them`;
  return [{ code: 'useless_passes', sentence: `${number(useless.length)} of ${count(made, 'past pass', 'past passes')} did not help; ${cost}.` }];
}
