import type { StoredObject } from '../k8s/dialects/kind.ts';
import { unlessGone } from '../k8s/kube-error.ts';
import { AUTOSCALER_TAINT, markedAtOf } from '../k8s/model/autoscaler-mark.ts';
import { SET_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { MachineSet } from '../k8s/model/machine-set.ts';
import { STALE_AFTER_MS, type Mark } from '../workflows/machine-set/marks.ts';
import type { MachineSetActivities } from '../workflows/machine-set/machine-set-activities.ts';
import { livingDeploymentAbove } from './deployment-above.ts';
import type { ActivityDeps } from './deps.ts';
import { onObject, refuseForeign } from './failures.ts';
import { lookAtReplicas } from './look-at-replicas.ts';
import { machinesOfDeployment } from './machines-of-deployment.ts';
import { readNode } from './own-node.ts';
import { setsOfDeployment } from './sets-of-deployment.ts';

/**
 * cluster-autoscaler marks a Machine and makes its group smaller right after that. Where it gave up in between it takes its taint off the Node and
 * leaves the mark: the next decrease, whatever it is for, would take a Machine that is in use again.
 */
export function createDropStaleMarks(deps: ActivityDeps): Pick<MachineSetActivities, 'dropStaleMarks'> {
  const { kube, apis, events, clock } = deps;

  return {
    async dropStaleMarks(target) {
      refuseForeign(deps, target);
      const { ref } = target;
      const look = await lookAtReplicas(deps, ref);
      // While some are too many, a mark says which.
      if (look === undefined || look.plan.remove.length > 0 || (await isDeploymentTooLarge(look.set))) return;
      for (const mark of target.marks) await dropOne(look.set, mark);
    },
  };

  async function isDeploymentTooLarge(set: MachineSet): Promise<boolean> {
    const deployment = (await livingDeploymentAbove(deps, set.deployment))?.machineDeployment;
    if (deployment === undefined) return false;
    // How many it wants cannot be read.
    if (deployment.malformed !== undefined) return true;
    const machines = await machinesOfDeployment(deps, deployment, await setsOfDeployment(deps, deployment));
    return machines.filter(({ machine }) => machine.deletedAt === undefined).length > deployment.replicas;
  }

  async function dropOne({ ref }: MachineSet, { name, uid }: Mark): Promise<void> {
    const { resource, read, deleteMark } = apis.machinesOf(ref);
    const stored = await unlessGone(kube.get<StoredObject>(resource, ref.namespace, name));
    if (stored?.metadata.uid !== uid || deleteMark === undefined) return;
    const { machine, meta } = read(stored);
    const markedAt = markedAtOf(meta.annotations[deleteMark]);
    if (markedAt === undefined || clock.timeOfDay() - markedAt < STALE_AFTER_MS) return;
    const { nodeRef } = machine.status;
    const node = nodeRef && (await readNode(kube, nodeRef));
    // Of what has no Node nobody can tell whether it is used.
    if (node === undefined || node.spec?.taints?.some(({ key }) => key === AUTOSCALER_TAINT) === true) return;
    const { resourceVersion } = meta;
    const body = { metadata: { uid, resourceVersion, annotations: { [deleteMark]: null } } };
    await onObject(() => kube.mergePatch(resource, ref.namespace, name, body, { fieldManager: SET_FIELD_MANAGER }));
    const message = `cluster-autoscaler marked it for deletion and gave that up: its mark is taken off, and ${node.metadata.name} goes no sooner than others`;
    await events.record(machine.ref, { type: 'Normal', reason: 'StaleMarkDropped', message });
  }
}
