// README's Durable Object, with a route to it and a Workers AI that can be made to fail.
import { WorkerEntrypoint } from 'cloudflare:workers';
import { Conversation as Shown } from '../../../www/worker/src/quickstart.ts';

let down = false;
const asked = { large: 0, small: 0 };

export class Ai extends WorkerEntrypoint {
  async run(model, { messages, max_tokens }) {
    asked[max_tokens === undefined ? 'large' : 'small'] += 1;
    if (max_tokens !== undefined && down) throw Object.assign(new Error('down'), { status: 500 });
    const prompt_tokens = Math.ceil(JSON.stringify(messages).length / 4);
    const response = max_tokens === undefined ? `read by ${model}` : 'The user counts messages. All were answered. Next: go on.';
    return { response, usage: { prompt_tokens, completion_tokens: 10, total_tokens: prompt_tokens + 10 } };
  }
}

export class Conversation extends Shown {
  async state() {
    await this.session.ready;
    return { alarm: await this.ctx.storage.getAlarm(), history: this.session.history(), decision: this.session.explain(), asked };
  }
}

export default {
  async fetch(request, env) {
    const [, object, command] = new URL(request.url).pathname.split('/');
    const stub = env.CONVERSATION.get(env.CONVERSATION.idFromName(object));
    const { text, failing } = await request.json();
    if (command === 'failing') down = failing;
    const answer = command === 'ask' ? await stub.ask(text) : command === 'state' ? await stub.state() : null;
    return Response.json({ answer });
  },
};
