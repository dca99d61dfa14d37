// The closing summary for a person.

import type { PassReport, SummaryEvent } from '../events.js';
import { fromTo, reasonWords, verdictWord } from './sentences.js';
import type { Style } from './style.js';
import { clean, count, number } from './words.js';

export interface SummaryLine {
  label: string;
  text: string;
  tone: keyof Style;
}

export function summaryLines(event: SummaryEvent & { simulated?: true }, unit: string): SummaryLine[] {
  return [
    plain('entries', entries(event, unit)),
    plain('model calls', modelCalls(event)),
    plain('peak prompt', peak(event)),
    ...recordedLines(event),
    ...event.passes.slice(0, PASSES_SHOWN).map((pass) => passLine(pass, unit, event.simulated === true)),
    ...(event.passes.length > PASSES_SHOWN ? [plain('', `and ${number(event.passes.length - PASSES_SHOWN)} more (all of them with --json)`)] : []),
    ...governor(event, unit),
    plain('useless passes', useless(event)),
  ];
}

function plain(label: string, text: string): SummaryLine {
  return { label, text, tone: 'faint' };
}

function entries(event: SummaryEvent, unit: string): string {
  const sessions = event.sessions === 1 ? '' : ` in ${count(event.sessions, 'conversation')}`;
  const skipped = event.unreadable === 0 ? '' : `; ${count(event.unreadable, `unreadable ${unit}`)} skipped`;
  return `${number(event.entries)}${sessions}${skipped}`;
}

function modelCalls({ modelCalls: calls, usageRecords, usageWithoutFigure, usageIgnored }: SummaryEvent): string {
  if (usageRecords === 0) return `${number(calls)}; no usage was recorded, so every figure is an estimate`;
  const empty = usageWithoutFigure === 0 ? '' : `, ${number(usageWithoutFigure)} of them without a figure`;
  const ignored = usageIgnored === 0 ? '' : `, ${number(usageIgnored)} not believed`;
  return `${number(calls)}, with ${count(usageRecords, 'usage record')}${empty}${ignored}`;
}

function peak({ peakPromptTokens, simulatedPeakPromptTokens, windowTokens, simulated }: SummaryEvent & { simulated?: true }): string {
  if (peakPromptTokens === null) return 'not recorded';
  const share = (tokens: number): string => (windowTokens === null ? '' : `, ${percent(tokens / windowTokens)} of ${number(windowTokens)}`);
  if (!simulated) return `${number(peakPromptTokens)}${share(peakPromptTokens)}`;
  const after = simulatedPeakPromptTokens === null ? 'none that fits' : `${number(simulatedPeakPromptTokens)}${share(simulatedPeakPromptTokens)}`;
  return `${number(peakPromptTokens)} recorded; simulated: ${after}`;
}

function percent(share: number): string {
  return share < 0.005 ? 'under 1 %' : `${Math.round(share * 100)} %`;
}

function recordedLines(event: SummaryEvent & { simulated?: true }): SummaryLine[] {
  const { recordedCompactions } = event;
  const found = recordedCompactions === 0 ? 'none in the recording' : `${number(recordedCompactions)} in the recording`;
  const left = event.simulated && recordedCompactions > 0 ? ', left out here' : '';
  const cleared = event.cleared.times === 0 ? '' : `, and ${number(event.cleared.tokens)} tokens of old results cleared without a model, ${event.cleared.times === 1 ? 'once' : `${number(event.cleared.times)} times`}`;
  const own = event.simulated ? `; simulated: ${count(event.passes.length, 'pass', 'passes')}${cleared}` : '';
  return [plain('compactions', `${found}${left}${own}`)];
}

function passLine(pass: PassReport, unit: string, simulated: boolean): SummaryLine {
  const { session, line, beforeTokens, afterTokens, verdict } = pass;
  const where = place(session, unit, line);
  const missing = verdict === 'pending' && !simulated ? ' (no usage was recorded after it)' : '';
  const tone = verdict === 'effective' ? 'good' : verdict === 'pending' ? 'faint' : 'bad';
  return { label: `  ${verdictWord(verdict)}`, text: `${simulated ? 'simulated: ' : ''}${where}: ${fromTo(beforeTokens, afterTokens)}${missing}`, tone };
}

function place(session: string | undefined, unit: string, line: number): string {
  return `${session === undefined ? '' : `${clean(session)}, `}${unit} ${number(line)}`;
}

function governor(event: SummaryEvent & { simulated?: true }, unit: string): SummaryLine[] {
  const started = event.started === 0 ? 'no pass' : count(event.started, 'pass', 'passes');
  const verb = event.simulated ? 'simulated: began' : 'would have begun';
  const none = event.refused.length === 0 ? '; it had nothing to refuse' : '';
  const refusals = event.refused.map(({ action, reason, times, firstLine, firstSession, sentence }): SummaryLine => {
    const first = place(firstSession, unit, firstLine);
    const often = times === 1 ? first : `${number(times)} times, first at ${first}`;
    const text = `${event.simulated ? 'simulated: ' : ''}${reasonWords(reason)}, ${often}: ${sentence}`;
    return { label: action === 'wait' ? '  waited' : '  refused', text, tone: 'warn' };
  });
  const overflows = event.overflows === 0 ? [] : [{ label: '  did not fit', text: `simulated: ${count(event.overflows, 'prompt')} that the provider would have refused`, tone: 'bad' } as const];
  return [plain('the governor', `${verb} ${started}${none}`), ...refusals, ...overflows];
}

function useless({ passes, uselessTokens }: SummaryEvent): string {
  const failed = passes.filter((pass) => pass.verdict === 'weak' || pass.verdict === 'ineffective').length;
  if (failed === 0) return 'none';
  const cost = uselessTokens === null ? 'the recording does not say what they cost' : `about ${number(uselessTokens)} tokens spent on them`;
  return `${number(failed)}; ${cost}`;
}

const PASSES_SHOWN = 20;
