// An OpenAI-compatible server for the quickstarts: answers, counts the tokens of a prompt, and notes who asked for what.
import { createServer } from 'node:http';

const WINDOW = 128_000;
/** Characters to a token, as vocabularies have it for these messages. */
const CHARACTERS = 5.5;

export async function provider() {
  const prompts = [];
  const route = async (request, reply) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { messages } = JSON.parse(text);
    const prompt_tokens = Math.ceil(JSON.stringify(messages).length / CHARACTERS);
    const summarises = !OWN.test(messages.at(-1).content);
    prompts.push({ summarises, prompt_tokens });
    const content = summarises ? 'Goal: count entries. Done: those before the last were read. Open: the rest.' : `answer ${prompts.length}`;
    reply.writeHead(prompt_tokens > WINDOW ? 400 : 200, { 'content-type': 'application/json', connection: 'close' });
    const refused = { error: { code: 'context_length_exceeded', message: `This model's maximum context length is ${WINDOW} tokens.` } };
    reply.end(JSON.stringify(prompt_tokens > WINDOW ? refused : { choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }], usage: { prompt_tokens, completion_tokens: 9 } }));
  };
  const server = createServer(route);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, prompts, route, close: () => { server.closeAllConnections(); server.close(); } };
}

/** One message of about 5,500 tokens; thirty of them do not fit the window. */
export const longMessage = (i) => `${i} ${'lorem ipsum '.repeat(2_500)}`;
export const MESSAGES = 30;
const OWN = /^\d+ lorem ipsum/;
