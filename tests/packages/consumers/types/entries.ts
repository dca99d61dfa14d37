// Every entry of the package, imported by name.
import { memory, openSession, type Session } from 'compaction-governor';
import { checkStore } from 'compaction-governor/conformance';
import { gemini, type GeminiContent } from 'compaction-governor/formats';
import { withoutSecrets } from 'compaction-governor/redact';
import { init, initSync, openSession as openSlim, type WasmSource } from 'compaction-governor/slim';

const session: Session<GeminiContent> = openSession({ id: 'a', store: memory(), format: gemini, redact: withoutSecrets([]) });
/** A session of one entry is one of the other. */
const slim: Session = openSlim({ id: 'b', store: memory() });
const source: WasmSource = new Uint8Array();

export async function begun(): Promise<boolean> {
  initSync(new ArrayBuffer(8));
  await init(Promise.resolve(source));
  const { ok } = await checkStore(() => memory());
  return ok && (await session).id !== slim.id;
}

// @ts-expect-error a number is no file
void init(7);
