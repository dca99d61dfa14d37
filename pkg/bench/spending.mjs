// What the summary of one pass costs on a prompt of 100,000 tokens whose cache is warm: asked in place, and in a request
// of its own. The requests are those that the package makes; tokens are its own estimate; prices are design's.
import { openaiChat } from '../dist/formats.js';
import { memory, openSession } from '../dist/index.js';
import { conversation, textOf } from './lib/conversation.mjs';
import { write } from './lib/measure.mjs';

const PROMPT = 100_000;
/** Its threshold, four fifths of it, is the prompt. */
const WINDOW = 125_000;
const MESSAGE_BYTES = 1_200;
/** What design.md counts for a summary. */
const SUMMARY_TOKENS = 3_000;
/** In input tokens, of the conversation's own model. */
const PRICE = { input: 1, cachedRead: 0.1, cacheWrite: 1.25, output: 5 };
const CHEAP_MODEL = 0.2;
const STATED = { inPlace: 25_000, separate: 88_000, cheap: 17_600 };

const tokensOf = (messages) => messages.reduce((sum, message) => sum + openaiChat.message(message).tokens, 0);
const message = (number, content) => ({ role: number % 2 ? 'assistant' : 'user', content });

/** What a model would write: about `SUMMARY_TOKENS` tokens, no two lines alike, in the tags that an answer in place needs. */
function summaryFor({ mode }) {
  const words = textOf(7, SUMMARY_TOKENS * 4);
  const text = words.slice(0, Math.floor((words.length * SUMMARY_TOKENS) / tokensOf([message(1, words)])));
  return mode === 'in_place' ? `<cg-new-summary>\n${text}\n</cg-new-summary>` : text;
}

/** The request of one real pass, the prompt that was sent before it, and the answer that was committed. */
async function pass(ownModel) {
  const asked = [];
  const summarize = async (request) => {
    const answer = summaryFor(request);
    asked.push({ request, answer });
    return answer;
  };
  const session = openSession({ id: `own model: ${ownModel}`, store: memory(), contextWindow: WINDOW, summarize: { summarize, ownModel } });
  // Turn by turn, as a host sends it: what was reported lets the rest be estimated without a wide margin.
  const messages = conversation(Math.ceil((PROMPT * 4) / MESSAGE_BYTES), MESSAGE_BYTES, message);
  let sent = [];
  for (let length = 1; length < messages.length; length += 2) {
    const step = await session.prepare(messages.slice(0, length));
    if (step.compacted) return { sent, ...one(asked) };
    sent = step.messages;
    await step.done({ promptTokens: tokensOf(sent) });
  }
  throw new Error(`no pass on ${tokensOf(messages)} tokens`);
}

function one(asked) {
  if (asked.length !== 1) throw new Error(`one pass was to be measured; ${asked.length} requests were made`);
  return asked[0];
}

/** The leading messages that were sent before are read from the cache; in a request of its own there are none. */
function spendOf({ sent, request, answer }, model = 1) {
  const cachedMessages = request.messages.findIndex((message, i) => message !== sent[i]);
  const cached = tokensOf(request.messages.slice(0, cachedMessages));
  const fresh = tokensOf(request.messages.slice(cachedMessages));
  const output = tokensOf([message(1, answer)]);
  // Who reads from a cache also writes to it; who asks once does not.
  const freshPrice = request.mode === 'in_place' ? PRICE.cacheWrite : PRICE.input;
  const spend = (cached * PRICE.cachedRead + fresh * freshPrice + output * PRICE.output) * model;
  return { mode: request.mode, cached, fresh, output, spend };
}

function row(model, { mode, cached, fresh, output, spend }, stated) {
  return [mode, model, ...[cached, fresh, output, spend, stated].map((tokens) => Math.round(tokens).toLocaleString('en'))];
}

const own = await pass(true);
const separate = await pass(false);
const rows = [
  row('the same', spendOf(own), STATED.inPlace),
  row('the same', spendOf(separate), STATED.separate),
  row('a fifth of the price', spendOf(separate, CHEAP_MODEL), STATED.cheap),
];
write({
  title: `Spending: the summary of one pass on a warm prompt of ${PROMPT.toLocaleString('en')} tokens, in prices of an input token`,
  columns: ['request', 'model', 'cached tokens', 'other input', 'output', 'spend', 'stated'],
  rows,
});
