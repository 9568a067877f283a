/** The value as the API server gives it back: a copy, with the fields of every object in the order of their names. */
export function asStored<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_key, part: unknown) =>
      part !== null && typeof part === 'object' && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ),
  ) as T;
}
