// The chat that is deployed, with two windows into it: how often its object was made, and how it takes an object that refuses.
import worker, { Chat as Deployed } from '../../../www/worker/src/index.ts';

let births = 0;

export class Chat extends Deployed {
  constructor(ctx, env) {
    super(ctx, env);
    births += 1;
  }
}

export default {
  fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/births') return Response.json(births);
    const refusal = searchParams.get('refused');
    if (refusal === null) return worker.fetch(request, env);
    const stub = { fetch: async () => Promise.reject(Object.assign(new Error('Durable Object is overloaded.'), JSON.parse(refusal))) };
    return worker.fetch(request, { ...env, CHAT: { idFromName: () => 'id', get: () => stub } });
  },
};
