import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { isAtRest } from '../integration/lifecycle/own-namespace.ts';
import { until } from '../integration/until.ts';
import { NAMESPACE, type Bench } from './open-bench.ts';

/** Waits until nothing is left to do for the machines that run, and answers them. The more there are the more seldom it lists them. */
export function untilAtRest({ kube, patience, machines }: Bench): Promise<MachineObject[]> {
  const list = async () => (await kube.list<MachineObject>(MACHINES, { namespace: NAMESPACE })).items;
  return until('they are at rest', list, (seen) => seen.every(isAtRest), { ...patience, everyMs: 1000 + 5 * machines });
}
