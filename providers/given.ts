type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/**
 * Those of the fields that have a value, to be spread into an object whose fields may be absent and are never undefined:
 * `{ name, ...given({ zone, region }) }`.
 */
export function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
