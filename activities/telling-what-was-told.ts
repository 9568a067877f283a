import type { Told } from '../workflows/told.ts';

/** An activity that answers with an object answers with {@link Told} of its request as well. */
export function tellingWhatWasTold<T extends object>(activities: T): T {
  const telling = Object.entries(activities).map(([name, run]: [string, (request?: Told) => Promise<unknown>]) => [
    name,
    async (request?: Told) => {
      const answer = await run(request);
      const isToTell = request?.told !== undefined && typeof answer === 'object' && answer !== null;
      return isToTell ? { ...answer, told: request.told } : answer;
    },
  ]);
  return Object.fromEntries(telling) as T;
}
