import type { CompactResult } from 'compaction-governor';
import { h, say } from './dom.js';
import { tokens } from './format.js';
import { PATIENCE_MS, type SummariserMood } from './model.js';
import type { Side } from './side.js';

/** The controls; each acts on both sides, so that they stay comparable. */
export class Controls {
  readonly element: HTMLElement;
  readonly #outcome = h('p', { class: 'outcome', role: 'status' });
  readonly #files = h('button', { type: 'button' });

  constructor(readonly sides: readonly Side[]) {
    this.element = h('div', { class: 'controls' },
      h('div', { class: 'reload' }, button('Reload this page', () => location.reload(), 'primary'),
        h('a', { class: 'button', href: location.pathname, target: '_blank', rel: 'noopener' }, 'Open a second tab'),
        h('p', {}, 'Left forgets and pays for the same useless passes again. Right stays paused, and its countdown goes on.')),
      h('div', { class: 'tools', role: 'group', 'aria-label': 'Further controls, for both chats' },
        button('Compact now', () => this.#each('Compact now', async (side) => described(await side.host.compact()))),
        this.#files,
        this.#summariser(),
        this.#composer(),
        button('Play 5 turns', () => this.#each('Played on', (side) => this.#play(side))),
        button('Wipe and start over', () => void this.#wipe())),
      this.#outcome);
    this.#files.addEventListener('click', () => this.#toggleFiles());
  }

  /** Draws what depends on the sides. */
  draw(): void {
    const open = this.sides.some((side) => side.host.chat.opensFiles);
    say(this.#files, open ? 'Free the fixed part' : 'Put the files back');
  }

  /** Says what came of an action, once, to everyone. */
  report(text: string): void {
    say(this.#outcome, text);
  }

  #summariser(): HTMLElement {
    const select = h('select', { id: 'summariser' }, ...MOODS.map(([value, label]) => h('option', { value }, label)));
    select.addEventListener('change', () => {
      const mood = MOODS.find(([value]) => value === select.value)?.[0] ?? 'works';
      for (const side of this.sides) side.mood = mood;
      this.report(`The summariser ${mood === 'empty' ? 'returns nothing' : mood} from now on. Compact now to see it.`);
    });
    return h('label', {}, 'Summary ', select);
  }

  #composer(): HTMLElement {
    const input = h('input', { name: 'text', autocomplete: 'off', placeholder: 'Say something', 'aria-label': 'Message to both chats' });
    const form = h('form', {}, input, h('button', { type: 'submit' }, 'Send'));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const text = input.value.trim() || 'Go on.';
      input.value = '';
      this.#each('Sent', async (side) => {
        await side.host.say(text);
        return side.session.explain().sentence;
      });
    });
    return form;
  }

  async #play(side: Side): Promise<string> {
    for (let turn = 0; turn < 5; turn += 1) await side.host.playTurn();
    return side.session.explain().sentence;
  }

  #toggleFiles(): void {
    const open = !this.sides.some((side) => side.host.chat.opensFiles);
    this.#each(open ? 'Files are back' : 'Files dropped', async (side) => {
      side.host.setFiles(open);
      await side.host.playTurn();
      return side.session.explain().sentence;
    });
  }

  async #wipe(): Promise<void> {
    await Promise.all(this.sides.map((side) => side.wipe()));
    this.report('Wiped: both stores, both chats and what this page counted. The script ran again.');
  }

  /** Does the same on both sides and then says what came of it. */
  #each(what: string, act: (side: Side) => Promise<string>): void {
    const outcomes = this.sides.map((side) => side.act(() => act(side)));
    void Promise.all(outcomes).then(([left = '', right = '']) => {
      this.report(left === right ? `${what}. Both: ${left}` : `${what}. Left: ${left} Right: ${right}`);
    });
  }
}

function button(label: string, press: () => void, kind = ''): HTMLElement {
  const element = h('button', { type: 'button', class: kind }, label);
  element.addEventListener('click', press);
  return element;
}

function described(result: CompactResult): string {
  switch (result.status) {
    case 'committed': return `a summary was written, ${tokens(result.beforeTokens)} tokens before and ${tokens(result.afterTokens)} expected after; the next reply will tell.`;
    case 'refused': return result.decision.sentence;
    case 'failed': return reasonOf(result.error);
  }
}

/** An error with what caused it: the host's own words, where the summariser was the host's. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

const MOODS: readonly [SummariserMood, string][] = [['works', 'works'], ['fails', 'fails'], ['empty', 'returns nothing'], ['hangs', `hangs (given up after ${PATIENCE_MS / 1000} s)`]];
