// Conversations to measure on: texts that differ, as a host gets them from JSON.

/** `count` messages of about `bytes` bytes each, made by `message` from a number and a text. */
export function conversation(count, bytes, message) {
  return JSON.parse(JSON.stringify(Array.from({ length: count }, (_, number) => message(number, textOf(number, bytes)))));
}

/** Prose and names in about equal parts, no two lines alike. */
export function textOf(number, bytes) {
  let text = '';
  for (let line = 0; text.length < bytes; line++) text += `In src/module_${number}/part_${line}.rs the check number ${number * 31 + line} ${ENDS[(number + line) % ENDS.length]}\n`;
  return text.slice(0, bytes);
}

const ENDS = ['fails when the list is empty.', 'now reads the file twice; once would do.', 'was moved behind the lock.', 'holds, but nobody calls it any more.', 'needs a test for the last page.'];
