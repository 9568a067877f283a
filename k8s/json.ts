/** Whether two values are the same as JSON, whatever the order of fields. A field that is undefined is none. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => isSameJson(item, b[index]));
  }
  const [one, other] = [a as Fields, b as Fields];
  for (const name in one) if (!isSameJson(one[name], other[name])) return false;
  for (const name in other) if (other[name] !== undefined && one[name] === undefined) return false;
  return true;
}

/** A value as JSON, the fields of objects in the order of their names. */
export function sortedJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(sortedJson).join()}]`;
  const fields = value as Fields;
  const given = Object.keys(fields)
    .filter((name) => fields[name] !== undefined)
    .sort();
  return `{${given.map((name) => `${JSON.stringify(name)}:${sortedJson(fields[name])}`).join()}}`;
}

/** Whether a value is an object with fields: no list, and not null. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Fields = Readonly<Record<string, unknown>>;
