/** The known names that somebody who typed `name` may have meant, nearest first: three at most. */
export function nearNames(name: string, known: readonly string[]): string[] {
  const most = Math.max(2, Math.floor(name.length / 3));
  return known
    .map((other) => ({ other, distance: other.startsWith(name) ? 0 : editDistance(name, other) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance || (a.other < b.other ? -1 : 1))
    .slice(0, 3)
    .map(({ other }) => other);
}

/** How many letters have to be put in, taken out or replaced (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
