// Colour, where the terminal has any. Never the only carrier of a meaning.

export type Paint = (text: string) => string;

export interface Style {
  strong: Paint;
  faint: Paint;
  good: Paint;
  bad: Paint;
  warn: Paint;
}

export function styleFor(colour: boolean): Style {
  const paint = (open: number, close: number): Paint => (colour ? (text) => `\u001B[${open}m${text}\u001B[${close}m` : (text) => text);
  return { strong: paint(1, 22), faint: paint(2, 22), good: paint(32, 39), bad: paint(31, 39), warn: paint(33, 39) };
}
