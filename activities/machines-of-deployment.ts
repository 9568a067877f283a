import type { StoredObject } from '../k8s/dialects/kind.ts';
import type { MachineDeployment } from '../k8s/model/machine-deployment.ts';
import type { LabelSelector, MachineSet } from '../k8s/model/machine-set.ts';
import type { MachineReading } from '../k8s/model/reading.ts';
import { formatSelector } from '../k8s/selector.ts';
import type { ActivityDeps } from './deps.ts';

/**
 * The Machines of a deployment's sets, as they are now. Its selector may match another deployment's, too; and that of a set that it has
 * adopted other Machines than its own.
 */
export async function machinesOfDeployment(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  { ref, selector }: MachineDeployment,
  sets: readonly MachineSet[],
): Promise<readonly MachineReading[]> {
  const { resource, read } = apis.machinesOf(ref);
  const beside = sets.map((set) => set.selector).filter((one) => !isWithin(one, selector));
  const selectors = new Set([selector, ...beside].map(formatSelector));
  const lists = await Promise.all(
    [...selectors].map((labelSelector) =>
      kube.list<StoredObject>(resource, { namespace: ref.namespace, labelSelector }),
    ),
  );
  const uids = new Set(sets.map((set) => set.ref.uid));
  const all = lists.flatMap(({ items }) => items.map((item) => read(item)));
  const own = all.filter(({ meta }) => uids.has(meta.controller?.uid ?? ''));
  return [...new Map(own.map((machine) => [machine.meta.ref.uid, machine])).values()];
}

/** What it selects the other one selects as well, as far as is plain to see. */
function isWithin(one: LabelSelector, other: LabelSelector): boolean {
  const { matchLabels = {}, matchExpressions = [] } = other;
  const expressions = new Set((one.matchExpressions ?? []).map((each) => JSON.stringify(each)));
  return (
    Object.entries(matchLabels).every(([key, value]) => one.matchLabels?.[key] === value) &&
    matchExpressions.every((each) => expressions.has(JSON.stringify(each)))
  );
}
