import { MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { PODS } from '../../../k8s/resources.ts';
import { getStack } from '../../integration/stack.ts';
import { until } from '../../integration/until.ts';
import { machineSetOfOne, PATIENCE, runPods, type Life, type SeenMachine } from './life.ts';

/** A MachineSet has one machine, and is scaled down. */
export const SCALED_DOWN: Life = {
  machines: 1,

  async begin(place) {
    await getStack().kube.create(MACHINE_SETS, place.name, machineSetOfOne(place));
  },

  async end({ name, look }, machines) {
    const { kube } = getStack();
    await runPods(name, machines);
    await kube.mergePatch(MACHINE_SETS, name, 'only', { spec: { replicas: 0 } });
    await until(`${name}: no machine is left`, look, (left) => left.length === 0, PATIENCE);
    const { items } = await kube.list<SeenMachine>(PODS, { namespace: name });
    return items.map((pod) => `pod ${pod.metadata.name} did not leave before its Node went`);
  },
};
