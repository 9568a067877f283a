import { MACHINE_HEALTH_CHECKS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { KUBELET_LABEL, KUBELET_STOPPED } from '../../../k8s/model/hollow-node.ts';
import { isReady, type Node } from '../../../k8s/model/node.ts';
import { NODES } from '../../../k8s/resources.ts';
import { getStack } from '../../integration/stack.ts';
import { until } from '../../integration/until.ts';
import { labelsOf, machineSpec, PATIENCE, type Life } from './life.ts';

/** Until Kubernetes says that the Node is silent; twice the time for a reboot to help, where the first call never came to the cloud. */
const HEALED = { timeoutMs: 180_000, everyMs: 500 };

/** Its kubelet hangs, and its health check has it rebooted, which starts the kubelet again; then it is deleted. */
export const REBOOTED: Life = {
  machines: 1,
  isSlow: true,

  async begin(place) {
    const { kube } = getStack();
    const metadata = { name: 'only', namespace: place.name, labels: labelsOf(place.name) };
    const { apiVersion, kind } = MACHINES;
    await kube.create(MACHINES, place.name, { apiVersion, kind, metadata, spec: machineSpec(place) });
    await kube.create(MACHINE_HEALTH_CHECKS, place.name, {
      apiVersion: MACHINE_HEALTH_CHECKS.apiVersion,
      kind: MACHINE_HEALTH_CHECKS.kind,
      metadata: { name: 'reboots' },
      spec: {
        selector: { matchLabels: labelsOf(place.name) },
        unhealthyConditions: [{ type: 'Ready', status: 'Unknown', timeout: '1s' }],
        // Of the time that a reboot has to help as well.
        nodeStartupTimeout: '20s',
        remediation: { steps: [{ action: 'Reboot' }, { action: 'Reboot' }] },
      },
    });
  },

  async end({ name, cloud, look }, [machine]) {
    const { kube } = getStack();
    const node = machine?.status?.nodeRef?.name ?? '';
    const bootBefore = (await kube.get<Node>(NODES, undefined, node)).status?.nodeInfo?.bootID;
    await kube.mergePatch(NODES, undefined, node, { metadata: { labels: { [KUBELET_LABEL]: KUBELET_STOPPED } } });
    await until(
      `${name}: ${node} has booted again, and is Ready`,
      () => kube.get<Node>(NODES, undefined, node),
      (seen) => isReady(seen) && seen.status?.nodeInfo?.bootID !== bootBefore,
      HEALED,
    );
    const answer = await fetch(`${cloud.endpoint}/ledger?machine=${machine?.metadata.uid ?? ''}`);
    const { calls } = (await answer.json()) as { readonly calls: readonly { readonly action: string }[] };
    const reboots = calls.filter(({ action }) => action === 'reboot');
    await kube.delete(MACHINES, name, 'only');
    await until(`${name}: no machine is left`, look, (left) => left.length === 0, PATIENCE);
    return reboots.length === 1 ? [] : [`it was rebooted ${reboots.length} times`];
  },
};
