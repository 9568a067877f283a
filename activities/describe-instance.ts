import DataLoader from 'dataloader';
import { BoundedMap } from '../providers/bounded-map.ts';
import { credentialsKey, type Credentials, type Instance, type Provider } from '../providers/provider.ts';

/** How long a look at an instance waits for others to share one call with, in milliseconds. */
const GATHER_MS = 200;
/**
 * Between two such calls with the same credentials, in milliseconds: while many machines come up or go down, each call
 * answers for all that asked meanwhile.
 */
const LOOKS_APART_MS = 700;
/** Credentials that are remembered. */
const MOST_CREDENTIALS = 1000;

/** Looks at one instance by its id; undefined: the cloud does not know it. */
export type DescribeInstance = (
  provider: Provider,
  credentials: Credentials,
  id: string,
) => Promise<Instance | undefined>;

/** The instances with these ids, call by call; ids that the cloud does not know are left out. */
export async function* describeInBatches(
  provider: Provider,
  credentials: Credentials,
  ids: readonly string[],
): AsyncGenerator<readonly Instance[]> {
  const { describeBatchSize: size } = provider;
  for (let at = 0; at < ids.length; at += size) yield provider.describe(credentials, ids.slice(at, at + size));
}

/** Machines that look at the same time share one call per credentials; a lone one waits as long as it takes to gather. */
export function createDescribeInstance(): DescribeInstance {
  const describers = new BoundedMap<string, DataLoader<string, Instance | undefined>>(MOST_CREDENTIALS);
  return (provider, credentials, id) => describerOf(provider, credentials).load(id);

  function describerOf(provider: Provider, credentials: Credentials): DataLoader<string, Instance | undefined> {
    const key = `${provider.name} ${credentialsKey(credentials)}`;
    const known = describers.get(key);
    if (known !== undefined) return known;
    let lastCallAt = Number.NEGATIVE_INFINITY;
    const loader = new DataLoader<string, Instance | undefined>(
      async (ids) => {
        lastCallAt = performance.now();
        const instances = await provider.describe(credentials, ids);
        const byId = new Map(instances.map((i) => [i.id, i]));
        return ids.map((id) => byId.get(id));
      },
      {
        cache: false,
        maxBatchSize: provider.describeBatchSize,
        batchScheduleFn: (run) => {
          setTimeout(run, Math.max(GATHER_MS, lastCallAt + LOOKS_APART_MS - performance.now()));
        },
      },
    );
    describers.set(key, loader);
    return loader;
  }
}
