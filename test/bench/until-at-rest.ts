import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { isAtRest } from '../integration/lifecycle/own-namespace.ts';
import { until } from '../integration/until.ts';
import { NAMESPACE, type Bench } from './open-bench.ts';

/** Waits until nothing is left to do for the machines that run, and answers them. */
export function untilAtRest({ kube, patience }: Bench): Promise<MachineObject[]> {
  const list = async () => (await kube.list<MachineObject>(MACHINES, { namespace: NAMESPACE })).items;
  const everySecond = { ...patience, everyMs: 1000 };
  return until('they are at rest', list, (seen) => seen.every(isAtRest), everySecond);
}
