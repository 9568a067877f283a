import type { Machine, MachineSpec } from '../k8s/model/machine.ts';
import { credentialsKey, type Credentials, type Provider } from '../providers/provider.ts';
import { cloudOf } from './cloud-of.ts';
import { coalesce } from './coalesce.ts';
import type { ActivityDeps } from './deps.ts';
import { listMachines } from './read-machines.ts';

/** How long a question waits for others to share its lists with, in milliseconds. */
const GATHER_MS = 200;
/** Fewer absent instances than this are judged one by one. */
const FEWEST_FOR_DOUBT = 2;

/** Why an absence is no fact to act on; undefined: it is one. */
export type DoubtAbsence = (
  provider: Provider,
  credentials: Credentials,
  cluster: string,
) => Promise<string | undefined>;

/** When more than half of what some credentials should show is absent, it is the view that is wrong. */
export function createDoubtAbsence(deps: ActivityDeps): DoubtAbsence {
  const absences = new Map<string, (key: string) => Promise<string | undefined>>();
  return doubtAbsence;

  function doubtAbsence(provider: Provider, credentials: Credentials, cluster: string): Promise<string | undefined> {
    const key = `${provider.name} ${credentialsKey(credentials)} ${cluster}`;
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
async function instancesOnRecord(
  deps: ActivityDeps,
  provider: Provider,
  credentials: Credentials,
  cluster: string,
): Promise<string[]> {
  return (await listMachines(deps)).flatMap(({ machine, spec }) => {
    const { instance } = machine.status;
    if (instance === undefined || instance.state === 'terminated' || machine.cluster !== cluster) return [];
    return isServedBy(deps, provider, credentials, machine, spec) ? [instance.id] : [];
  });
}

function isServedBy(
  deps: ActivityDeps,
  provider: Provider,
  credentials: Credentials,
  machine: Machine,
  spec: MachineSpec,
): boolean {
  try {
    const own = cloudOf(deps, machine, spec);
    return own.provider === provider && credentialsKey(own.credentials) === credentialsKey(credentials);
  } catch {
    // A spec that names no provider that is known has no part in this listing.
    return false;
  }
}
