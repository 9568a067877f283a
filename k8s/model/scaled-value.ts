/**
 * A number of so many, given as it is or in percent (`25%`), as Kubernetes reads an IntOrString. What is neither counts as none.
 *
 * @param round of a share that is no whole number
 */
export function scaledValue(value: number | string, all: number, round: (share: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = Number.parseInt(value, 10);
  // In whole numbers: 0.07 * 100 is more than 7.
  return Number.isNaN(percent) ? 0 : round((percent * all) / 100);
}
