/** Two looks count as two where this share of the window lies between them. */
const SHARE_APART = 1 / 4;

/**
 * The rule by which "not found" becomes "does not exist": three looks, all answered, all empty. The last was made a whole
 * window after the first, and the one between lies a quarter of the window away from both. Looks that were held up and
 * then made all at once count as one.
 *
 * @param looks when looks that found nothing were made, oldest first, in milliseconds
 * @param from looks that were made earlier do not count
 * @returns when the next look is due, or that no further one is needed
 */
export function planAbsenceProof(looks: readonly number[], from: number, windowMs: number): number | 'proved' {
  const apart = windowMs * SHARE_APART;
  const [first, ...later] = looks.filter((at) => at >= from);
  if (first === undefined) return from;
  const index = later.findIndex((at) => at >= first + apart);
  const between = later[index];
  if (between === undefined) return first + windowMs / 2;
  const due = Math.max(first + windowMs, between + apart);
  return later.slice(index + 1).some((at) => at >= due) ? 'proved' : due;
}

/**
 * The looks with one more. Those that the proof may need stay, however many follow: the first, where its window begins,
 * and others a quarter of the window apart.
 */
export function withLook(looks: readonly number[], at: number, windowMs: number): number[] {
  const [latest, before] = [looks.at(-1), looks.at(-2)];
  const isSpare = latest !== undefined && before !== undefined && latest < before + windowMs * SHARE_APART;
  return [...(isSpare ? looks.slice(0, -1) : looks), at];
}
