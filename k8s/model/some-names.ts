/** The first ones of several, and how many there are. */
export interface SomeNames {
  readonly count: number;
  readonly names: readonly string[];
}

/** @param most are named */
export function someOf(names: readonly string[], most: number): SomeNames {
  return { count: names.length, names: names.slice(0, most) };
}

/** E.g. `a, b and 3 more`. */
export function joinNames({ count, names }: SomeNames): string {
  const more = count - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What follows the one that is told of several: ` (and 3 more)`, or nothing where there are no others. */
export function andMore(others: number): string {
  return others > 0 ? ` (and ${others} more)` : '';
}
