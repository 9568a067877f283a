/** Looks until what is looked for is true; fails with what was seen last. */
export async function until<T>(
  what: string,
  look: () => Promise<T>,
  isIt: (seen: T) => boolean,
  { timeoutMs = 60_000, everyMs = 200 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (isIt(seen)) return seen;
    if (Date.now() > deadline) {
      throw new Error(`${what}: not within ${timeoutMs / 1000} s; last seen: ${JSON.stringify(seen).slice(0, 2000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
