// What wrangler.jsonc gives to this Worker.
import type { Chat } from './chat.js';

export interface Env {
  readonly CHAT: DurableObjectNamespace<Chat>;
  /** In tokens. */
  readonly CONTEXT_WINDOW: string;
  readonly MODEL: string;
  readonly PROVIDER_URL: string;
  readonly PROVIDER_KEY?: string;
  /** A Worker of yours in front of the provider; without it requests go out directly. */
  readonly PROVIDER?: Fetcher;
  readonly AI?: { run(model: string, inputs: object): Promise<unknown> };
}
