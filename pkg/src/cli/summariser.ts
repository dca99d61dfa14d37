// The scripted summariser of a simulation: no model, the same text for the same slice.

/** Parts of the slice that a scripted summary keeps: the lower end of what real ones do. */
export const SUMMARY_RATIO = 0.1;

/** A summary of a slice of `sliceTokens`, at most `maxTokens` long by the rough count. */
export function scriptedSummary(sliceTokens: number, maxTokens: number): string {
  const bytes = Math.max(1, Math.floor(Math.min(sliceTokens * SUMMARY_RATIO, maxTokens) * BYTES_PER_TOKEN * 0.98));
  let state = sliceTokens >>> 0;
  let text = '';
  let wordsLeft = 0;
  while (text.length < bytes) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    if (wordsLeft === 0) {
      text += text === '' ? 'Step ' : '.\nStep ';
      text += `${state >>> 12}: `;
      wordsLeft = 6 + ((state >>> 8) % 9);
    }
    text += `${WORDS[(state >>> 16) % WORDS.length] ?? ''} `;
    wordsLeft -= 1;
  }
  return text.slice(0, bytes).trimEnd();
}

const BYTES_PER_TOKEN = 3.5;
const WORDS = ('agreed asked branch build cache changed checked client code config decided default error example failed field file fixed found function ' +
  'handler input kept line list loaded merged message missing moved name needed note open option order output parser path plan question read reason ' +
  'removed renamed reply report request result returned run saved script server session setting shown size source state stored table test text time ' +
  'token tool total tried type updated used user value version view waiting window wrote yesterday').split(' ');
