import type { Heard } from '../workflows/heard.ts';

/** An activity that answers with an object answers with {@link Heard} of its request as well. */
export function tellingWhatWasHeard<T extends object>(activities: T): T {
  const telling = Object.entries(activities).map(([name, run]: [string, (request?: Heard) => Promise<unknown>]) => [
    name,
    async (request?: Heard) => {
      const answer = await run(request);
      const isToTell = request?.heard !== undefined && typeof answer === 'object' && answer !== null;
      return isToTell ? { ...answer, heard: request.heard } : answer;
    },
  ]);
  return Object.fromEntries(telling) as T;
}
