// Small pieces of text for a person: numbers, times, wrapped lines.

/** 184915 → "184,915". */
export function number(value: number): string {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/** "1 entry", "2 entries". */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** By how much less, in whole percent: "84 % less", "3 % more", "no less". */
export function change(before: number, after: number): string {
  if (before <= 0) return 'unknown';
  const percent = Math.round((Math.abs(before - after) / before) * 100);
  if (percent === 0) return after < before ? 'under 1 % less' : 'no less';
  if (percent > 100) return 'more than twice as much';
  return after < before ? `${percent} % less` : `${percent} % more`;
}

/** A length of time as hours, minutes and seconds: "1:04:09". */
export function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const two = (value: number): string => value.toString().padStart(2, '0');
  return `${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** Text from a recording or a command line, without anything that moves a terminal's cursor or colours it. */
export function clean(value: string): string {
  return value.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '\uFFFD');
}

/** Breaks `text` at spaces into lines of at most `width`; a longer word stays whole. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
