const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 6;
/** A name must fit a label value, which Nodes and other objects carry it in. */
const LONGEST_NAME = 63;

/** Names for new Machines: the set's, cut to fit, and a random ending (of the workflow's own, replayable randomness). */
export function issueNames(set: string, count: number): string[] {
  const stem = set.slice(0, LONGEST_NAME - SUFFIX_LENGTH - 1);
  return Array.from({ length: count }, () => `${stem}-${randomSuffix()}`);
}

function randomSuffix(): string {
  const letters = Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET[Math.floor(Math.random() * ALPHABET.length)]);
  return letters.join('');
}
