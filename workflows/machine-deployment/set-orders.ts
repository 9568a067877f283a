import type { MachineDeployment } from '../../k8s/model/machine-deployment.ts';
import type { MachineSet, SetOrder } from '../../k8s/model/machine-set.ts';
import type { RolloutMark } from '../../k8s/model/rollout-mark.ts';
import { settingsFor, textOfSettings } from '../../k8s/model/template-settings.ts';
import { given } from '../../providers/given.ts';
import type { NamedSet, Ordered } from './machine-deployment-activities.ts';
import type { RolloutPlan } from './plan-rollout.ts';
import type { Rollout } from './rollout.ts';
import type { SeenSet } from './see-rollout.ts';

/** What orders follow from. */
export interface Ordering {
  readonly deployment: MachineDeployment;
  readonly rollout: Rollout;
  readonly plan: RolloutPlan;
  /** Numbers of templates, by their sets' uids. */
  readonly revisions: ReadonlyMap<string, number>;
  /** Nobody knows yet whether a launch of its template would work. */
  readonly isUntried: boolean;
}

/** What the sets are to be told that have it otherwise; those that are to have fewer machines first. */
export function ordersTo(sets: readonly SeenSet[], ordering: Ordering): readonly Ordered[] {
  const orders = sets.flatMap((seen) => orderTo(seen, ordering) ?? []);
  return orders.sort((a, b) => a.order.replicas - a.from - (b.order.replicas - b.from));
}

function orderTo(seen: SeenSet, { deployment, rollout, plan, revisions, isUntried }: Ordering): Ordered | undefined {
  const { set } = seen;
  const target = plan.get(set.ref.uid);
  if (target === undefined) return undefined;
  const order: SetOrder = {
    ...target,
    minReadySeconds: deployment.minReadySeconds,
    revision: revisions.get(set.ref.uid) ?? 0,
    deploymentName: deployment.ref.name,
    ...given({ rollout: markOf(rollout, set.ref.uid) }),
  };
  // What a template wants that may be refused touches no machine of an earlier one.
  const isCurrent = set.templateHash === deployment.templateHash;
  const isToWait = isUntried && !isCurrent;
  const isBack = isCurrent && set.revisionTemplate !== undefined;
  const isBehind = !isToWait && (isBack || !hasSettings(set, deployment, isCurrent));
  if (!isBehind && isTold(set, order)) return undefined;
  return { set: namedOf(seen), order, from: set.replicas, ...given({ isBehind: isBehind || undefined }) };
}

function isTold(set: MachineSet, order: SetOrder): boolean {
  const { replicas, maxMachines, minReadySeconds, revision, deploymentName, rollout } = order;
  return (
    replicas === set.replicas &&
    maxMachines === set.maxMachines &&
    minReadySeconds === set.minReadySeconds &&
    revision === set.revision &&
    deploymentName === set.deploymentName &&
    rollout === set.rollout
  );
}

/** Whether the set's template has the settings that the deployment wants of it. */
function hasSettings({ template }: MachineSet, deployment: MachineDeployment, isCurrent: boolean): boolean {
  const own = template.settings;
  const wanted = settingsFor(own, deployment.template.settings, isCurrent);
  return textOfSettings(own) === textOfSettings(wanted);
}

/**
 * What a set's machines are told of a rollout; undefined: none is under way. One that is paused moves nothing: its old Nodes are as good as
 * others then, and better where it was stopped because new ones fail. With OnDelete nobody knows when the next one goes.
 */
function markOf({ type, isHeld, sets }: Rollout, uid: string): RolloutMark | undefined {
  const isUnderWay =
    !isHeld && type !== 'OnDelete' && sets.some(({ isCurrent, existing }) => !isCurrent && existing > 0);
  const set = sets.find((each) => each.uid === uid);
  if (!isUnderWay || set === undefined) return undefined;
  return set.isCurrent ? 'rolling' : 'outdated';
}

export function namedOf({ set, resourceVersion }: SeenSet): NamedSet {
  const { name, uid } = set.ref;
  return { name, uid, resourceVersion };
}
