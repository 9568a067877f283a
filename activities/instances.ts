import DataLoader from 'dataloader';
import type { StoredObject } from '../k8s/dialects/dialect.ts';
import { dialects } from '../k8s/dialects/registry.ts';
import type { Machine, MachineSpec } from '../k8s/model/machine.ts';
import {
  ProviderError,
  type Credentials,
  type Instance,
  type LaunchParameters,
  type Provider,
} from '../providers/provider.ts';
import { coalesce } from './coalesce.ts';
import type { ActivityDeps } from './deps.ts';
import { cloudFailureOf } from './failures.ts';
import { whileHeartbeating } from './heartbeat.ts';
import { ownerOf } from './launch.ts';
import type { MachineActivities } from './machine-activities.ts';
import { requireMachine } from './machines.ts';

type Port = Pick<MachineActivities, 'findInstances' | 'lookAtInstance' | 'terminateInstance'>;

/** How long a look at an instance waits for others to share one call with, in milliseconds. */
const GATHER_MS = 200;
/** Fewer absent instances than this are judged one by one. */
const FEWEST_FOR_DOUBT = 2;

/** Activities on instances that exist, or may. */
export function createInstanceActivities(deps: ActivityDeps): Port {
  const { providers } = deps;
  const describers = new Map<string, DataLoader<string, Instance | undefined>>();
  const absences = new Map<string, (key: string) => Promise<string | undefined>>();

  return {
    async findInstances(request) {
      const { machine, spec } = await requireMachine(deps, request);
      try {
        const { provider, credentials } = whereOf(machine, spec, request.parameters);
        const owner = ownerOf(request.ref, request.machineCluster);
        return { outcome: 'answered', instances: await provider.findByMachine(credentials, owner, request.token) };
      } catch (error) {
        return { outcome: 'failed', failure: cloudFailureOf(error) };
      }
    },

    async lookAtInstance(request) {
      const { machine, spec } = await requireMachine(deps, request);
      try {
        const { provider, credentials } = whereOf(machine, spec, request.parameters);
        const instance = await describerOf(provider, credentials).load(request.id);
        if (instance !== undefined) return { outcome: 'found', instance };
        const doubt = await doubtAbsence(provider, credentials, machine.cluster);
        return doubt === undefined ? { outcome: 'absent' } : { outcome: 'untrusted', message: doubt };
      } catch (error) {
        return { outcome: 'failed', failure: cloudFailureOf(error) };
      }
    },

    async terminateInstance(request) {
      const { machine, spec } = await requireMachine(deps, request);
      try {
        const { provider, credentials } = whereOf(machine, spec, request.parameters);
        const state = await whileHeartbeating((signal) => provider.terminate(credentials, request.id, signal));
        return { outcome: 'asked', state };
      } catch (error) {
        if (error instanceof ProviderError && error.code === 'NotFound') return { outcome: 'unknownInstance' };
        return { outcome: 'failed', failure: cloudFailureOf(error) };
      }
    },
  };

  /**
   * Where to ask: the cloud that the instance is in, whatever became of the spec since; with the credentials that the spec
   * says now, for they may have been renewed, else with those that were frozen.
   */
  function whereOf(
    { ref, providerID }: Machine,
    spec: MachineSpec,
    frozen: LaunchParameters | undefined,
  ): { readonly provider: Provider; readonly credentials: Credentials } {
    const itsOwn = providerID === undefined ? undefined : providers.providerForProviderID(providerID);
    const provider = itsOwn ?? providers.providerFor(spec.providerSpec);
    try {
      const credentials = provider.credentialsOf({ owner: ownerOf(ref, ''), providerSpec: spec.providerSpec });
      return { provider, credentials };
    } catch (error) {
      if (frozen === undefined) throw error;
      return { provider, credentials: frozen.credentials };
    }
  }

  /** All machines that look at the same moment share one call per credentials. */
  function describerOf(provider: Provider, credentials: Credentials): DataLoader<string, Instance | undefined> {
    const key = `${provider.name} ${JSON.stringify(credentials)}`;
    const known = describers.get(key);
    if (known !== undefined) return known;
    const loader = new DataLoader<string, Instance | undefined>(
      async (ids) => {
        const instances = await provider.describe(credentials, ids);
        const byId = new Map(instances.map((i) => [i.id, i]));
        return ids.map((id) => byId.get(id));
      },
      {
        cache: false,
        maxBatchSize: provider.describeBatchSize,
        batchScheduleFn: (run) => {
          setTimeout(run, GATHER_MS);
        },
      },
    );
    describers.set(key, loader);
    return loader;
  }

  /** When more than half of what these credentials should show is absent, it is the view that is wrong. */
  function doubtAbsence(provider: Provider, credentials: Credentials, cluster: string): Promise<string | undefined> {
    const key = `${provider.name} ${JSON.stringify(credentials)} ${cluster}`;
    const known = absences.get(key);
    if (known !== undefined) return known(key);
    const ask = coalesce(() => compareWithMachines(provider, credentials, cluster), GATHER_MS);
    absences.set(key, ask);
    return ask(key);
  }

  async function compareWithMachines(
    provider: Provider,
    credentials: Credentials,
    cluster: string,
  ): Promise<string | undefined> {
    const expected = await instancesOnRecord(deps, provider, credentials, cluster);
    const shown = new Set((await provider.list(credentials, cluster)).map((i) => i.id));
    const absent = expected.filter((id) => !shown.has(id)).length;
    if (absent < FEWEST_FOR_DOUBT || absent * 2 <= expected.length) return undefined;
    return `${absent} of ${expected.length} instances of these credentials are absent at once: that is taken for a wrong view of the cloud, and nobody acts on it`;
  }
}

/** Ids of the instances that Machines of this cluster have with these credentials, terminated ones left out. */
export async function instancesOnRecord(
  deps: ActivityDeps,
  provider: Provider,
  credentials: Credentials,
  cluster: string,
): Promise<string[]> {
  const ids: string[] = [];
  for (const dialect of dialects()) {
    const { items } = await deps.kube.list<StoredObject>(dialect.machines);
    for (const item of items) {
      const { machine, spec } = dialect.readMachine(item);
      const { instance } = machine.status;
      if (instance === undefined || instance.state === 'terminated' || machine.cluster !== cluster) continue;
      if (isServedBy(deps, provider, credentials, machine.ref, spec)) ids.push(instance.id);
    }
  }
  return ids;
}

function isServedBy(
  deps: ActivityDeps,
  provider: Provider,
  credentials: Credentials,
  ref: Parameters<typeof ownerOf>[0],
  spec: MachineSpec,
): boolean {
  try {
    if (deps.providers.providerFor(spec.providerSpec) !== provider) return false;
    const own = provider.credentialsOf({ owner: ownerOf(ref, ''), providerSpec: spec.providerSpec });
    return JSON.stringify(own) === JSON.stringify(credentials);
  } catch {
    // A spec that names no provider that is known has no part in this listing.
    return false;
  }
}
