/** What is so, and what was so of late, by key. */
export class Lately<T> {
  readonly #values = new Map<string, readonly { readonly value: T; readonly until: number }[]>();
  /** What it was before anything was noted. */
  readonly #atFirst: readonly { readonly value: T; readonly until: number }[];

  constructor(...atFirst: readonly T[]) {
    this.#atFirst = atFirst.map((value) => ({ value, until: Infinity }));
  }

  /** From now on it is this. */
  note(key: string, value: T, now: number): void {
    const before = (this.#values.get(key) ?? this.#atFirst).map((each) =>
      each.until === Infinity ? { ...each, until: now } : each,
    );
    this.#values.set(key, [...before, { value, until: Infinity }]);
  }

  /** All that it was at some time since then. */
  since(key: string, time: number): readonly T[] {
    return (this.#values.get(key) ?? this.#atFirst).filter(({ until }) => until >= time).map(({ value }) => value);
  }
}
