/** Chance that is the same in every run with the same seed (xoshiro128**). */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: string) {
    const next = hashing(seed);
    this.#a = next();
    this.#b = next();
    this.#c = next();
    this.#d = next() | 1;
  }

  /** In [0, 1). */
  next(): number {
    return this.#word() / 4_294_967_296;
  }

  /** A whole number in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** In [least, most). */
  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of them; undefined where there is none. */
  pick<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  /** Mostly short, sometimes long: exponential around the mean, in milliseconds. */
  around(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }

  /** A random version 4 UUID. */
  uuid(): string {
    const hex = [this.#word(), this.#word(), this.#word(), this.#word()]
      .map((word) => word.toString(16).padStart(8, '0'))
      .join('');
    const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  #word(): number {
    const result = Math.imul(rotated(Math.imul(this.#b, 5), 7), 9);
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = rotated(this.#d, 11);
    return result >>> 0;
  }
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

/** 32-bit words that depend on each character (xmur3). */
function hashing(text: string): () => number {
  let hash = 1_779_033_703 ^ text.length;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 3_432_918_353);
    hash = rotated(hash, 13);
  }
  return () => {
    hash = Math.imul(hash ^ (hash >>> 16), 2_246_822_507);
    hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909);
    return (hash ^= hash >>> 16) >>> 0;
  };
}
