import DataLoader from 'dataloader';
import type { Clock } from '../providers/clock.ts';
import type { Instance } from '../providers/provider.ts';
import { onePerPlace, type Place } from './place.ts';

/** How long a look at an instance waits for others to share one call with, in milliseconds. */
const GATHER_MS = 200;
/**
 * Between two such calls with the same credentials, in milliseconds: while many machines come up or go down, each call
 * answers for all that asked meanwhile.
 */
const LOOKS_APART_MS = 700;

/** Looks at one instance by its id; undefined: the cloud does not know it. */
export type DescribeInstance = (place: Place, id: string) => Promise<Instance | undefined>;

/** The instances with these ids, call by call; ids that the cloud does not know are left out. */
export async function* describeInBatches(
  { provider, credentials }: Place,
  ids: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<readonly Instance[]> {
  const { describeBatchSize: size } = provider;
  for (let at = 0; at < ids.length; at += size) {
    yield provider.describe(credentials, ids.slice(at, at + size), signal);
  }
}

/** Machines that look at the same time share one call per credentials; a lone one waits as long as it takes to gather. */
export function createDescribeInstance(clock: Clock): DescribeInstance {
  const describerOf = onePerPlace(({ provider, credentials }) => {
    let lastCallAt = Number.NEGATIVE_INFINITY;
    return new DataLoader<string, Instance | undefined>(
      async (ids) => {
        lastCallAt = clock.now();
        const instances = await provider.describe(credentials, ids);
        const byId = new Map(instances.map((i) => [i.id, i]));
        return ids.map((id) => byId.get(id));
      },
      {
        cache: false,
        maxBatchSize: provider.describeBatchSize,
        batchScheduleFn: (run) => void clock.after(Math.max(GATHER_MS, lastCallAt + LOOKS_APART_MS - clock.now()), run),
      },
    );
  });
  return (place, id) => describerOf(place).load(id);
}
