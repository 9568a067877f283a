import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { DRAINING, type Node } from '../../../k8s/model/node.ts';
import { hasTaint } from '../../../k8s/model/taint.ts';
import { DAEMON_SETS, NODES, PODS } from '../../../k8s/resources.ts';
import { getStack } from '../../integration/stack.ts';
import { until } from '../../integration/until.ts';
import { labelsOf, machineSpec, PATIENCE, type Life, type SeenMachine } from './life.ts';

const ONLY = 'only';
const HOOKS = { preTerminate: [{ name: 'UntilTold', owner: 'the-test' }] };
const APP = { app: 'agent' };

/**
 * Its pods of DaemonSets leave last, under a taint of ours. That deletion is aborted when they have left: the taint comes off, and they come
 * back. Then it is deleted.
 */
export const EVICTED_LAST: Life = {
  machines: 1,
  isSlow: true,

  async begin(place) {
    const { apiVersion, kind } = MACHINES;
    await getStack().kube.create(MACHINES, place.name, {
      apiVersion,
      kind,
      metadata: { name: ONLY, namespace: place.name, labels: labelsOf(place.name) },
      spec: { ...machineSpec(place), drain: { daemonSets: 'EvictLast' }, lifecycleHooks: HOOKS },
    });
  },

  async end({ name, look }, [machine]) {
    const { kube } = getStack();
    const node = machine?.status?.nodeRef?.name ?? '';
    const readNode = () => kube.get<Node>(NODES, undefined, node);
    const pods = async () => (await kube.list<SeenMachine>(PODS, { namespace: name })).items;
    const wish = (spec: object) => kube.mergePatch(MACHINES, name, ONLY, { spec });
    await runDaemon(name, node);
    await until(`${name}: its pod is there`, pods, (all) => all.length === 1, PATIENCE);

    await wish({ delete: true });
    await until(`${name}: the Node is closed`, readNode, isClosed, PATIENCE);
    await until(`${name}: its pod has left`, pods, (all) => all.length === 0, PATIENCE);
    await wish({ delete: false });
    const isAborted = (all: readonly SeenMachine[]) => all.every(({ status }) => status?.delete === false);
    await until(`${name}: it is aborted`, look, isAborted, PATIENCE);
    const after = await readNode();
    await until(`${name}: its pod is back`, pods, (all) => all.length === 1, PATIENCE);

    await wish({ lifecycleHooks: null });
    await kube.delete(MACHINES, name, ONLY);
    await until(`${name}: no machine is left`, look, (left) => left.length === 0, PATIENCE);
    const left = await pods();
    await kube.delete(DAEMON_SETS, name, 'agent');
    return [
      ...(isClosed(after) ? [`Node ${node} had our taint after an abort was acknowledged`] : []),
      ...(after.spec?.unschedulable === true ? [`Node ${node} was cordoned after an abort was acknowledged`] : []),
      ...left.map((pod) => `pod ${pod.metadata.name} of the DaemonSet did not leave before its Node went`),
    ];
  },
};

const isClosed = ({ spec }: Node): boolean => hasTaint(spec?.taints, DRAINING);

/** A DaemonSet of this Node alone. It makes no pod where a taint keeps that away. */
async function runDaemon(namespace: string, nodeName: string): Promise<void> {
  const spec = {
    nodeName,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'main', image: 'none' }],
  };
  await getStack().kube.create(DAEMON_SETS, namespace, {
    metadata: { name: 'agent' },
    spec: { selector: { matchLabels: APP }, template: { metadata: { labels: APP }, spec } },
  });
}
