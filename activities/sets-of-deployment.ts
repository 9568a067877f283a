import type { StoredObject } from '../k8s/dialects/kind.ts';
import type { MachineDeployment } from '../k8s/model/machine-deployment.ts';
import type { MachineSet } from '../k8s/model/machine-set.ts';
import type { ActivityDeps } from './deps.ts';

/** The sets that a deployment controls, as they are now. */
export async function setsOfDeployment(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  { ref }: MachineDeployment,
): Promise<readonly MachineSet[]> {
  const { resource, read } = apis.setsOf(ref);
  const { items } = await kube.list<StoredObject>(resource, { namespace: ref.namespace });
  return items.map((item) => read(item).machineSet).filter((set) => set.deployment?.uid === ref.uid);
}
