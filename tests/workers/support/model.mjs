// The model behind the binding MODEL: OpenAI-shaped replies, counted by a fixed rule, noted, and held back where a test says so.

export class Model {
  /** Requests in their order: object, model, messages. */
  requests = [];
  /** What a summariser's request waits for. */
  gate = Promise.resolve();
  /** Answers a summariser's request otherwise. */
  summarize = Model.summary;

  static summary() {
    return reply('The user tests with numbered messages. All earlier ones were answered. Next: go on.', 900);
  }

  of(model, object) {
    return this.requests.filter((request) => request.model === model && (object === undefined || request.object === object));
  }

  /** Holds every summary back; the answer lets them go. */
  hold() {
    let open;
    this.gate = new Promise((resolve) => (open = resolve));
    return open;
  }

  /** Resolves at the next request for a summary. */
  asked() {
    return new Promise((resolve) => (this.#told = resolve));
  }

  #told = () => {};

  /** A service binding of Miniflare. */
  handle = async (request) => {
    const body = await request.json();
    this.requests.push(body);
    if (body.model === 'large') return reply('Yes, that is so.', count(body.messages));
    this.#told();
    await this.gate;
    return this.summarize(body);
  };
}

export function reply(content, prompt_tokens) {
  return Response.json({ choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }], usage: { prompt_tokens, completion_tokens: 20, total_tokens: prompt_tokens + 20 } });
}

/** Four bytes to a token, and a fixed cost per message. */
function count(messages) {
  return messages.reduce((sum, message) => sum + 3 + Math.ceil(Buffer.byteLength(JSON.stringify(message)) / 4), 0);
}
