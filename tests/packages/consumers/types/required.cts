// The same where packages are required.
import governor = require('compaction-governor');
import formats = require('compaction-governor/formats');
import redact = require('compaction-governor/redact');
import slim = require('compaction-governor/slim');

const session: governor.Session<formats.GeminiContent> = governor.openSession({ id: 'a', store: governor.memory(), format: formats.gemini, redact: redact.withoutSecrets([]) });
slim.initSync(new Uint8Array());
export const { id } = session;
