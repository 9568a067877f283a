import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { isReady, type Node } from '../../../k8s/model/node.ts';
import { NODES } from '../../../k8s/resources.ts';
import { getStack } from '../../integration/stack.ts';
import { until } from '../../integration/until.ts';
import { createCheck, labelsOf, machineSpec, PATIENCE, stopKubelet, type Life, type SeenMachine } from './life.ts';

/** How long a reboot has to help, at least, in seconds; and how often the time that the machine took to come up, on a computer that is slow. */
const VERDICT = { leastSeconds: 20, times: 4 } as const;
/** What comes before the first call, and after the last one: until Kubernetes says that the Node is silent, and until it is Ready again. Milliseconds. */
const AROUND_MS = 120_000;

/** Its kubelet hangs, and its health check has it rebooted, which starts the kubelet again; then it is deleted. */
export const REBOOTED: Life = {
  machines: 1,
  isSlow: true,

  async begin(place) {
    const metadata = { name: 'only', namespace: place.name, labels: labelsOf(place.name) };
    const { apiVersion, kind } = MACHINES;
    await getStack().kube.create(MACHINES, place.name, { apiVersion, kind, metadata, spec: machineSpec(place) });
  },

  async end({ name, cloud, look }, [machine]) {
    const { kube } = getStack();
    const verdictSeconds = machine === undefined ? VERDICT.leastSeconds : verdictSecondsFor(machine);
    const node = machine?.status?.nodeRef?.name ?? '';
    const bootBefore = (await kube.get<Node>(NODES, undefined, node)).status?.nodeInfo?.bootID;
    await stopKubelet(node);
    // Only now: one that is slow to come up is none that has to be rebooted.
    await createCheck(name, {
      timeout: '1s',
      // Of the time that a reboot has to help as well.
      nodeStartupTimeout: `${verdictSeconds}s`,
      // Twice, for a call that never came to the cloud.
      remediation: { steps: [{ action: 'Reboot' }, { action: 'Reboot' }] },
    });
    // Where the first call never came to the cloud, a second one does when the time for that is over.
    const timeoutMs = AROUND_MS + 2 * verdictSeconds * 1000;
    await until(
      `${name}: ${node} has booted again, and is Ready`,
      () => kube.get<Node>(NODES, undefined, node),
      (seen) => isReady(seen) && seen.status?.nodeInfo?.bootID !== bootBefore,
      { timeoutMs, everyMs: 500 },
    );
    const answer = await fetch(`${cloud.endpoint}/ledger?machine=${machine?.metadata.uid ?? ''}`);
    const { calls } = (await answer.json()) as { readonly calls: readonly { readonly action: string }[] };
    const reboots = calls.filter(({ action }) => action === 'reboot');
    await kube.delete(MACHINES, name, 'only');
    await until(`${name}: no machine is left`, look, (left) => left.length === 0, PATIENCE);
    return reboots.length === 1 ? [] : [`it was rebooted ${reboots.length} times`];
  },
};

/** A reboot that has helped before its time is over is not followed by another one: on a slow computer it needs more of that. */
function verdictSecondsFor({ metadata }: SeenMachine): number {
  const upMs = Date.now() - Date.parse(metadata.creationTimestamp);
  return Math.max(VERDICT.leastSeconds, Math.ceil((VERDICT.times * upMs) / 1000));
}
