import type { StoredObject } from '../k8s/dialects/kind.ts';
import type { MachineDeployment } from '../k8s/model/machine-deployment.ts';
import type { MachineSet } from '../k8s/model/machine-set.ts';
import type { MachineReading } from '../k8s/model/reading.ts';
import { formatSelector } from '../k8s/selector.ts';
import type { ActivityDeps } from './deps.ts';

/** The Machines of a deployment's sets, as they are now. Its selector may match another deployment's, too. */
export async function machinesOfDeployment(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  { ref, selector }: MachineDeployment,
  sets: readonly MachineSet[],
): Promise<readonly MachineReading[]> {
  const { resource, read } = apis.machinesOf(ref);
  const wanted = { namespace: ref.namespace, labelSelector: formatSelector(selector) };
  const { items } = await kube.list<StoredObject>(resource, wanted);
  const uids = new Set(sets.map((set) => set.ref.uid));
  return items.map((item) => read(item)).filter(({ meta }) => uids.has(meta.controller?.uid ?? ''));
}
