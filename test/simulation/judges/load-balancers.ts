import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { CloudInMemory } from '../cluster/cloud.ts';
import { REGISTRATIONS_OF_EACH } from '../cluster/ec2.ts';

type Balanced = Pick<CloudInMemory, 'registrations' | 'living'>;

/** What of Running Machines is not behind all their load balancers. */
export function notBehind(machines: readonly MachineObject[], cloud: Balanced): readonly string[] {
  const registered = cloud.registrations();
  if (registered === undefined) return [];
  const living = new Set(cloud.living().map(({ machineUid }) => machineUid));
  const byMachine = Map.groupBy(registered, ({ machineUid }) => machineUid);
  return machines.flatMap(({ metadata: { uid, name }, status }) => {
    const { length } = byMachine.get(uid)?.filter(({ isLiving }) => isLiving) ?? [];
    if (status?.phase !== 'Running' || !living.has(uid) || length === REGISTRATIONS_OF_EACH) return [];
    return [`Machine ${name} is behind ${length} of ${REGISTRATIONS_OF_EACH} load balancers and target groups`];
  });
}

/**
 * What is behind a load balancer, and ended.
 *
 * @param mayStay whether what is left of the Machine with this uid is nobody's to know, or it is there still
 */
export function leftBehind(cloud: Balanced, mayStay: (machineUid: string) => boolean): readonly string[] {
  return (cloud.registrations() ?? [])
    .filter(({ isLiving, machineUid }) => !isLiving && !mayStay(machineUid))
    .map(({ behind, target, name }) => `${target} of Machine ${name} is still behind ${behind}`);
}
