/** What is so, and what was so of late, by key. */
export class Lately<T> {
  readonly #values = new Map<string, readonly { readonly value: T; readonly until: number }[]>();

  /** From now on it is this. */
  note(key: string, value: T, now: number): void {
    const before = (this.#values.get(key) ?? []).map((each) =>
      each.until === Infinity ? { ...each, until: now } : each,
    );
    this.#values.set(key, [...before, { value, until: Infinity }]);
  }

  /** All that it was at some time since then. */
  since(key: string, time: number): readonly T[] {
    return (this.#values.get(key) ?? []).filter(({ until }) => until >= time).map(({ value }) => value);
  }
}
