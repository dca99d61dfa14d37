/** What the model of these tests counts of a text, so that passes fall due where they are meant to. */
export function countTokens(text) {
  return Math.ceil(text.length / 3.5);
}
