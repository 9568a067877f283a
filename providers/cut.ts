/** The text, of so many characters at most: a longer one ends with `…`. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
