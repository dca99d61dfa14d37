import { promptApi, type PromptMessage } from 'compaction-governor/formats';
import { holds } from './harness.js';
import { PICTURE, type Script } from './script.js';

/** The session runs its tools itself: what a model said and what came back is one answer. */
function build({ system, turns }: Script): PromptMessage[] {
  const messages: PromptMessage[] = system === undefined ? [] : [{ role: 'system', content: system }];
  for (const { asks, picture, steps, answer } of turns) {
    messages.push({ role: 'user', content: picture ? [{ type: 'text', value: asks }, { type: 'image', value: PICTURE }] : asks });
    for (const { says, calls } of steps) messages.push({ role: 'assistant', content: [says, ...calls.map(({ result }) => result)].map((value) => ({ type: 'text', value })) });
    messages.push({ role: 'assistant', content: answer });
  }
  return messages;
}

const isOurs = (content: unknown): boolean => String(content).includes('<cg-summary>');

/** A system message is taken as the very first only. */
function faults(view: readonly PromptMessage[]): string[] {
  return view.slice(1).flatMap(({ role }) => (role === 'system' ? ['a system message behind another'] : []));
}

holds<PromptMessage>({
  format: promptApi,
  build,
  reply: (text) => text,
  isSystem: ({ role }) => role === 'system',
  isUser: ({ role, content }) => role === 'user' && !isOurs(content),
  faults,
});
