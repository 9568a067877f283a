import { coalesce } from './coalesce.ts';
import type { MachineDeps } from './deps.ts';
import type { BelongingWorld } from './belonging.ts';
import { listIfServed } from './read-machines.ts';

/** How long a question waits for others to share the lists with, in milliseconds. */
const GATHER_MS = 200;

/** Reads, live, what it takes to tell whose an instance is; those who ask at the same time share the lists. */
export type ReadWorld = () => Promise<Omit<BelongingWorld, 'namesakes' | 'keepsTokens'>>;

export function createReadWorld(deps: MachineDeps): ReadWorld {
  const { kube, apis, clusterUid, clusterNames, reader } = deps;
  const read = coalesce(
    deps.clock,
    async () => {
      const [machines, clusters] = await Promise.all([
        reader.all(),
        Promise.all(
          apis
            .kinds('cluster')
            .map(async ({ resource, read: readCluster }) =>
              (await listIfServed(kube, resource)).map((object) => readCluster(object).cluster.ref),
            ),
        ),
      ]);
      const clustersOf = allowedClusters([
        ...clusterNames,
        ...clusters.flat().map(({ namespace, name }) => `${namespace}/${name}`),
      ]);
      return { machines: machines.map(({ machine }) => machine), clustersOf, clusterUid };
    },
    GATHER_MS,
  );
  return () => read('world');
}

/**
 * The clusters whose instances the Machines of a namespace may adopt.
 * @param allowances `<namespace>/<id>` for one namespace, `<id>` for all of them
 */
function allowedClusters(allowances: readonly string[]): BelongingWorld['clustersOf'] {
  const everywhere = allowances.filter((one) => !one.includes('/'));
  const byNamespace = new Map<string, string[]>();
  for (const one of allowances.filter((each) => each.includes('/'))) {
    const [namespace = '', id = ''] = one.split('/');
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), id]);
  }
  return (namespace) => new Set([...everywhere, ...(byNamespace.get(namespace) ?? [])]);
}
