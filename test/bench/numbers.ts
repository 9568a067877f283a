/** To two places. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** 0 of none. */
export function mean(numbers: readonly number[]): number {
  return round(numbers.reduce((sum, n) => sum + n, 0) / Math.max(1, numbers.length));
}
