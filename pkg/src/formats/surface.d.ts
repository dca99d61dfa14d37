// The public surface of compaction-governor/formats, written by hand; the build copies it to dist/formats.d.ts.
// Each constant is a format to open a session with. The message types are structural: only what is read is named, and
// the types of the client libraries fit them.

import type { ChatMessage, Format } from '../surface.js';

/** OpenAI chat messages and those of compatible servers. What a session reads unless told otherwise. */
export const openaiChat: Format<ChatMessage>;
