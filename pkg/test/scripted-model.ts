// A model server without a model: OpenAI-shaped replies with usage, counted by a fixed rule, the same in every run.

export interface Script {
  /** Longer prompts are refused as an OpenAI-compatible server would. */
  window?: number;
  /** Tokens that the provider counts on top of the messages: system prompt, tool schemas, files. */
  overhead?: number | (() => number);
  /** What a request to the summariser is answered with. Default: a short summary. */
  summarize?: (body: ChatBody) => Response | Promise<Response>;
  /** The length of an answer, in characters. */
  answer?: number;
}

export interface ChatBody {
  model: string;
  messages: { role: string; content?: unknown }[];
  stream?: boolean;
}

export class ScriptedModel {
  readonly requests: ChatBody[] = [];
  readonly #script: Script;

  constructor(script: Script = {}) {
    this.#script = script;
  }

  /** Requests to the model that chats, and to the one that writes summaries. */
  of(model: 'large' | 'small'): ChatBody[] {
    return this.requests.filter((body) => body.model === model);
  }

  /** Stands in for `fetch`. */
  readonly fetch = async (_url: unknown, init?: { body?: unknown }): Promise<Response> => {
    const body: ChatBody = JSON.parse(String(init?.body));
    this.requests.push(body);
    if (body.model === 'small') return (this.#script.summarize ?? summary)(body);
    const prompt = this.count(body.messages);
    const { window = Infinity, answer = 40 } = this.#script;
    if (prompt > window) return refusal(window, prompt);
    const content = 'answer '.repeat(Math.ceil(answer / 7)).slice(0, answer);
    return body.stream ? streamed(content, prompt) : completion(content, prompt);
  };

  /** Four bytes to a token, a fixed cost per message, and the overhead. */
  count(messages: readonly object[]): number {
    const { overhead = 0 } = this.#script;
    const fixed = typeof overhead === 'number' ? overhead : overhead();
    return messages.reduce((sum, message) => sum + 3 + Math.ceil(Buffer.byteLength(JSON.stringify(message)) / 4), fixed);
  }
}

export function completion(content: string, prompt: number, finish_reason = 'stop'): Response {
  return Response.json({ id: 'chatcmpl-1', object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }], usage: usageOf(prompt, content) });
}

function summary(): Response {
  return completion('The user tests compaction with numbered messages. All earlier messages were answered. Next: go on.', 900);
}

function streamed(content: string, prompt: number): Response {
  const events = [{ choices: [{ delta: { role: 'assistant', content } }], usage: null }, { choices: [], usage: usageOf(prompt, content) }];
  const text = [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'].join('');
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
}

function refusal(window: number, prompt: number): Response {
  const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${prompt} tokens.`;
  return Response.json({ error: { message, type: 'invalid_request_error', code: 'context_length_exceeded' } }, { status: 400 });
}

function usageOf(prompt_tokens: number, content: string): object {
  const completion_tokens = Math.ceil(content.length / 4);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
