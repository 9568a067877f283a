type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/**
 * Those of the fields that have a value, to be spread into an object whose fields may be absent and are never undefined:
 * `{ name, ...given({ zone, region }) }`.
 */
export function given<T extends object>(fields: T): Given<T> {
  const those: Given<T> = {};
  // Each reading of an object comes here many times: without a list of all entries.
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) those[name] = value as Exclude<T[typeof name], undefined>;
  }
  return those;
}

/** Undefined for an empty list or map, where that counts as absent: `given({ tags: unlessEmpty(tags) })`. */
export function unlessEmpty<T extends readonly unknown[] | Readonly<Record<string, unknown>>>(
  fields: T,
): T | undefined {
  const { length } = Array.isArray(fields) ? fields : Object.keys(fields);
  return length === 0 ? undefined : fields;
}
