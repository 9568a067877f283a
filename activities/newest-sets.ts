import type { StoredObject } from '../k8s/dialects/kind.ts';
import type { MachineDeployment } from '../k8s/model/machine-deployment.ts';
import type { ActivityDeps } from './deps.ts';

/** uids of a deployment's sets of the template as it is now: one, or none before it is made. */
export async function newestSetsOf(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  { ref, templateHash }: MachineDeployment,
): Promise<ReadonlySet<string>> {
  const { resource, read } = apis.setsOf(ref);
  const { items } = await kube.list<StoredObject>(resource, { namespace: ref.namespace });
  const sets = items.map((item) => read(item).machineSet);
  const newest = sets.filter((set) => set.deployment?.uid === ref.uid && set.templateHash === templateHash);
  return new Set(newest.map((set) => set.ref.uid));
}
