import type { StoredObject } from '../k8s/dialects/kind.ts';
import type { MachineDeployment } from '../k8s/model/machine-deployment.ts';
import type { MachineReading } from '../k8s/model/reading.ts';
import { formatSelector } from '../k8s/selector.ts';
import type { ActivityDeps } from './deps.ts';

/** The Machines that a deployment's selector matches, whoever has them, as they are now. */
export async function machinesOfDeployment(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  { ref, selector }: MachineDeployment,
): Promise<readonly MachineReading[]> {
  const { resource, read } = apis.machinesOf(ref);
  const wanted = { namespace: ref.namespace, labelSelector: formatSelector(selector) };
  const { items } = await kube.list<StoredObject>(resource, wanted);
  return items.map((item) => read(item));
}
