/** An object with parts that no definition allows, as one that was stored under another. */
export function spoiled<T extends object>(object: T, parts: object): T {
  return { ...object, ...parts };
}
