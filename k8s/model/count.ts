/** `1 machine is`, `2 machines are`: a number with the words that go with it. */
export function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
