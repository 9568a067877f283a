import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { getStack } from '../../integration/stack.ts';
import { until } from '../../integration/until.ts';
import { labelsOf, machineSpec, type Life } from './life.ts';

/** Until Kubernetes says that the Node is silent, until its instance is asked about, and until Kubernetes has cleared it. */
const PATIENCE = { timeoutMs: 240_000, everyMs: 500 };

/** Somebody stops the instance, and then the machine is deleted: its Node is told of as out of service. */
export const STOPPED: Life = {
  machines: 1,
  isSlow: true,

  async begin(place) {
    await getStack().kube.create(MACHINES, place.name, {
      apiVersion: MACHINES.apiVersion,
      kind: MACHINES.kind,
      metadata: { name: 'only', namespace: place.name, labels: labelsOf(place.name) },
      spec: machineSpec(place),
    });
  },

  async end({ name, cloud, look }, [machine]) {
    const id = machine?.status?.providerStatus?.instanceId ?? '';
    const stopped = await fetch(`${cloud.endpoint}/instances/${id}/stop`, { method: 'POST' });
    if (!stopped.ok) throw new Error(`the cloud does not stop ${id}: ${stopped.status}`);
    await getStack().kube.delete(MACHINES, name, 'only');
    await until(`${name}: no machine is left`, look, (left) => left.length === 0, PATIENCE);
    return [];
  },
};
