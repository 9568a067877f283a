/** What came from elsewhere, to be said in the midst of a sentence: such words may end with a full stop. */
export function asClause(words: string): string {
  return words.replace(/\.$/, '');
}
