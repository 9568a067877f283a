import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { getStack } from '../../integration/stack.ts';
import { until } from '../../integration/until.ts';
import { createOnly, ONLY, type Life } from './life.ts';

/** Until Kubernetes says that the Node is silent, until its instance is asked about, and until Kubernetes has cleared it. */
const PATIENCE = { timeoutMs: 240_000, everyMs: 500 };

/** Somebody stops the instance, and then the machine is deleted: its Node is told of as out of service. */
export const STOPPED: Life = {
  machines: 1,
  isSlow: true,

  begin: createOnly,

  async end({ name, cloud, look }, [machine]) {
    const id = machine?.status?.providerStatus?.instanceId ?? '';
    const stopped = await fetch(`${cloud.endpoint}/instances/${id}/stop`, { method: 'POST' });
    if (!stopped.ok) throw new Error(`the cloud does not stop ${id}: ${stopped.status}`);
    await getStack().kube.delete(MACHINES, name, ONLY);
    await until(`${name}: no machine is left`, look, (left) => left.length === 0, PATIENCE);
    return [];
  },
};
