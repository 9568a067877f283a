/**
 * Divides a number of Machines among sets in proportion to their sizes, to whole ones: the largest remainders get what is left
 * over, the first of equals first. No set gets more than its `most`.
 */
export function share(amount: number, sets: readonly { readonly size: number; readonly most: number }[]): number[] {
  const total = sets.reduce((sum, { size }) => sum + size, 0);
  const exact = sets.map(({ size }) => (total === 0 ? 0 : (amount * size) / total));
  const shares = exact.map((part, index) => Math.min(Math.floor(part), sets[index]?.most ?? 0));
  const byRemainder = exact
    .map((part, index) => ({ index, rest: part - Math.floor(part) }))
    .sort((a, b) => b.rest - a.rest);
  let left = amount - shares.reduce((sum, one) => sum + one, 0);
  // A second round, for what did not fit into the sets of the greatest remainders.
  for (let before = -1; left !== before;) {
    before = left;
    for (const { index } of byRemainder) {
      if (left === 0 || (shares[index] ?? 0) >= (sets[index]?.most ?? 0)) continue;
      shares[index] = (shares[index] ?? 0) + 1;
      left -= 1;
    }
  }
  return shares;
}
