// The texts of messages that this library makes, the same in every format.

/** A tool's result whose call was summarised, as text. */
export function lateResultText(text: string): string {
  return `[late result of a tool call that was summarised above]\n${text}`;
}
