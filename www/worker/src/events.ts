// The texts in a stream of server-sent events, of OpenAI's shape or of Workers AI's.

export async function* textsIn(response: Response): AsyncGenerator<string, void, undefined> {
  if (!response.body) return;
  let rest = '';
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const text = textOf(line);
      if (text !== '') yield text;
    }
  }
}

function textOf(line: string): string {
  const data = /^data:\s*(\{.*\})\s*$/.exec(line)?.[1];
  if (data === undefined) return '';
  const event: Chunk = JSON.parse(data);
  return event.choices?.[0]?.delta?.content ?? event.response ?? '';
}

interface Chunk {
  choices?: { delta?: { content?: string | null } }[];
  response?: string;
}
