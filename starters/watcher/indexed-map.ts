/** A map whose values can also be found by other keys that are read from them: `Index` names those ways. */
export class IndexedMap<T, Index extends string> {
  readonly #values = new Map<string, T>();
  readonly #keysOf: Readonly<Record<Index, (value: T) => readonly string[]>>;
  readonly #found = new Map<string, Set<string>>();

  constructor(keysOf: Readonly<Record<Index, (value: T) => readonly string[]>>) {
    this.#keysOf = keysOf;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  values(): IterableIterator<T> {
    return this.#values.values();
  }

  set(key: string, value: T): void {
    this.delete(key);
    this.#values.set(key, value);
    for (const slot of this.#slotsOf(value)) {
      const keys = this.#found.get(slot);
      if (keys === undefined) this.#found.set(slot, new Set([key]));
      else keys.add(key);
    }
  }

  delete(key: string): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    for (const slot of this.#slotsOf(value)) {
      const keys = this.#found.get(slot);
      keys?.delete(key);
      if (keys?.size === 0) this.#found.delete(slot);
    }
  }

  /** The values that have `key` in that index. */
  by(index: Index, key: string): T[] {
    return [...(this.#found.get(slotOf(index, key)) ?? [])].flatMap((k) => this.#values.get(k) ?? []);
  }

  #slotsOf(value: T): string[] {
    const slots: string[] = [];
    for (const index in this.#keysOf) {
      for (const key of this.#keysOf[index](value)) slots.push(slotOf(index, key));
    }
    return slots;
  }
}

function slotOf(index: string, key: string): string {
  return `${index}\n${key}`;
}
