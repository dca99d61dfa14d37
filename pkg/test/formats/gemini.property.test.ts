import { gemini, type GeminiContent } from 'compaction-governor/formats';
import { holds } from './harness.js';
import { PICTURE, resultsOf, type Script, type Step } from './script.js';

interface Part {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  inlineData?: { mimeType: string; data: string };
  executableCode?: { language: string; code: string };
  codeExecutionResult?: { outcome: string; output: string };
  functionCall?: { id?: string; name: string; args: object };
  functionResponse?: { name: string; response: object };
}
interface Content extends GeminiContent {
  role: string;
  parts: Part[];
}

/** Some calls carry an id and their results do not. */
function asked({ calls, thought, closed, says, reversed }: Step): Part[] {
  const code: Part[] = closed ? [{ executableCode: { language: 'PYTHON', code: says } }, { codeExecutionResult: { outcome: 'OUTCOME_OK', output: says } }] : [];
  const parts = calls.map(({ id, name, input }): Part => ({ functionCall: { ...(reversed ? { id } : {}), name, args: { input } }, ...(thought === undefined ? {} : { thoughtSignature: thought }) }));
  return [...(thought === undefined ? [] : [{ text: thought, thought: true }]), { text: says }, ...code, ...parts];
}

/** All results of a step stand in the next content, or none does. */
function build({ turns }: Script): Content[] {
  return turns.flatMap((turn) => {
    const picture = { inlineData: { mimeType: 'image/png', data: PICTURE } };
    const steps = turn.steps.flatMap((step): Content[] => {
      const call = { role: 'model', parts: asked(step) };
      if (resultsOf(step).length < step.calls.length) return [call];
      return [call, { role: 'user', parts: step.calls.map(({ name, result }) => ({ functionResponse: { name, response: { output: result } } })) }];
    });
    return [{ role: 'user', parts: turn.picture ? [{ text: turn.asks }, picture] : [{ text: turn.asks }] }, ...steps, { role: 'model', parts: [{ text: turn.answer }] }];
  });
}

const called = ({ parts }: Content): string[] => parts.flatMap(({ functionCall }) => functionCall?.name ?? []);
const answered = ({ parts }: Content): string[] => parts.flatMap(({ functionResponse }) => functionResponse?.name ?? []);

/** Responses follow their calls at once, as many and in the same order; calls follow a user. */
function faults(view: readonly Content[], source: readonly Content[]): string[] {
  return view.flatMap((content, i) => {
    const before = view[i - 1];
    const results = answered(content);
    const wrong: string[] = [];
    if (results.length > 0 && String(results) !== String(before ? called(before) : [])) wrong.push(`results ${results} behind ${before ? called(before) : 'nothing'}`);
    const [next, shown] = [source[source.indexOf(content) + 1], view[i + 1]];
    // What stands behind it may be the same results cleared or cut.
    if (called(content).length > 0 && next && answered(next).length > 0 && String(shown && answered(shown)) !== String(answered(next))) wrong.push(`calls ${called(content)} without their results`);
    if (i === 0 && content.role !== 'user') wrong.push('it begins with the model');
    return wrong;
  });
}

holds<Content>({
  format: gemini,
  build,
  reply: (text) => ({ candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 900, candidatesTokenCount: 20, totalTokenCount: 920 } }),
  isSystem: () => false,
  isUser: (content) => content.role === 'user' && answered(content).length === 0 && !JSON.stringify(content.parts).includes('<cg-summary>'),
  faults,
});
