// Looking into values of unknown shape.

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** The object behind `key`, if `value` is one and has one there. */
export function fieldsAt(value: unknown, key: string): Fields | undefined {
  const inner = isFields(value) ? value[key] : undefined;
  return isFields(inner) ? inner : undefined;
}

export function textAt(value: unknown, key: string): string | undefined {
  const inner = isFields(value) ? value[key] : undefined;
  return typeof inner === 'string' ? inner : undefined;
}

/** A token count as providers state it: a whole number that a count can be. Absent is not zero. */
export function countAt(value: unknown, key: string): number | undefined {
  const inner = isFields(value) ? value[key] : undefined;
  return typeof inner === 'number' && Number.isInteger(inner) && inner >= 0 && inner <= MAX_COUNT ? inner : undefined;
}

/** `u32::MAX`, the crate's largest token count. */
const MAX_COUNT = 0xffff_ffff;

/** The text of `value` as JSON; one that JSON cannot write (a cycle, a bigint) is named by its kind. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return `[${typeof value}]`;
  }
}
