type Fields = Readonly<Record<string, unknown>>;

/** The JSON merge patch (RFC 7386) that makes the second of the first; a list is one value. Empty: they are the same. */
export function mergePatchOf(from: Fields, to: Fields): Fields {
  const gone = Object.keys(from).filter((key) => to[key] === undefined && from[key] !== undefined);
  const changed = Object.entries(to).flatMap(([key, value]): [string, unknown][] => {
    const before = from[key];
    if (value === undefined) return [];
    if (!isFields(value)) return JSON.stringify(before) === JSON.stringify(value) ? [] : [[key, value]];
    const inner = mergePatchOf(isFields(before) ? before : {}, value);
    const isThere = isFields(before) && Object.keys(inner).length === 0;
    return isThere ? [] : [[key, inner]];
  });
  return Object.fromEntries([...gone.map((key) => [key, null]), ...changed]) as Fields;
}

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
