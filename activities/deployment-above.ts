import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { ActivityDeps } from './deps.ts';
import { readOfRole } from './read-stored.ts';

/** The deployment that controls a set, with its status. @param controller of the set */
export async function deploymentAbove(deps: Pick<ActivityDeps, 'kube' | 'apis'>, controller: ObjectRef | undefined) {
  const found = controller && (await readOfRole(deps, 'machineDeployment', controller));
  return found?.kind.read(found.stored);
}

/** The same, unless it goes itself. */
export async function livingDeploymentAbove(
  deps: Pick<ActivityDeps, 'kube' | 'apis'>,
  controller: ObjectRef | undefined,
) {
  const above = await deploymentAbove(deps, controller);
  return above?.machineDeployment.deletedAt === undefined ? above : undefined;
}
