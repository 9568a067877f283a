import { writeCause } from '../../../k8s/model/cause.ts';
import { OUT_OF_TURN_ANNOTATION } from '../../../k8s/model/control-plane.ts';
import { DRAIN_ANNOTATION, ROLLED_FOR_ANNOTATION } from '../../../k8s/model/deployment.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { DEPLOYMENTS, DISRUPTION_BUDGETS, NODES } from '../../../k8s/resources.ts';
import { getStack } from '../../integration/stack.ts';
import { until } from '../../integration/until.ts';
import { labelsOf, machineSpec, PATIENCE, type Life, type Place, type SeenMachine } from './life.ts';

/** As many as a turn in a control plane takes. */
const SIZE = 3;
const FIRST = 'master-0';
const CONTROL_PLANE = { 'machine.openshift.io/cluster-api-machine-role': 'master' };
/** Is not over before the pod's Deployment was rolled, however slow all is. */
const LONG_DRAIN = { timeout: '1h', onTimeout: 'Force' };
/** So that the pod is deleted when its eviction was asked for 30 s before. */
const SHORT_DRAIN = { timeout: '33s', onTimeout: 'Force' };
const HOOKS = { preTerminate: [{ name: 'UntilTold', owner: 'the-test' }] };
const APP = { app: 'web' };

interface Template {
  readonly spec: {
    readonly template: { readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> } };
  };
}
interface Counted {
  readonly status?: { readonly currentHealthy?: number };
}

/**
 * One of a control plane of three is prepared for its end by `spec.delete`, which is aborted when its pod's Deployment was rolled and its
 * Node tells of its drain, and asked for again: then its pod, which a budget keeps, goes by force, and the workflow deletes the Machine.
 * A hook has the Node tell that it is drained, however slow a pass is.
 */
export const PREPARED: Life = {
  machines: SIZE,
  isSlow: true,

  async begin(place) {
    for (let n = 0; n < SIZE; n += 1) {
      await getStack().kube.create(MACHINES, place.name, {
        apiVersion: MACHINES.apiVersion,
        kind: MACHINES.kind,
        metadata: { name: `master-${n}`, namespace: place.name, labels: { ...labelsOf(place.name), ...CONTROL_PLANE } },
        spec: machineSpec(place),
      });
    }
  },

  async end(place, machines) {
    const { name, look } = place;
    const { kube } = getStack();
    const node = machines.find(({ metadata }) => metadata.name === FIRST)?.status?.nodeRef?.name ?? '';
    await runWorkload(place, node);
    const wish = (spec: object) => kube.mergePatch(MACHINES, name, FIRST, { spec });

    await wish({ delete: true, drain: LONG_DRAIN, lifecycleHooks: HOOKS });
    const told = async () => (await kube.get<Node>(NODES, undefined, node)).status?.conditions ?? [];
    const awaitTold = (type: string) =>
      until(`${name}: the Node tells ${type}`, told, (all) => all.some((one) => one.type === type), PATIENCE);
    const lookAtRoll = async () => {
      const { spec } = await kube.get<Template>(DEPLOYMENTS, name, 'web');
      const isRolled = ROLLED_FOR_ANNOTATION in (spec.template.metadata?.annotations ?? {});
      return { isRolled, waiting: find(await look())?.status?.waiting };
    };
    await until(`${name}: it is rolled`, lookAtRoll, ({ isRolled }) => isRolled, PATIENCE);
    await awaitTold('DrainInProgress');
    await wish({ delete: false });
    await until(`${name}: it is aborted`, look, (all) => find(all)?.status?.delete === false, PATIENCE);
    const { spec } = await kube.get<Node>(NODES, undefined, node);

    // From here on nothing but force makes its pod go.
    await kube.mergePatch(DEPLOYMENTS, name, 'web', { metadata: { annotations: { [DRAIN_ANNOTATION]: null } } });
    await wish({ delete: true, drain: SHORT_DRAIN });
    await awaitTold('Drained');
    await wish({ lifecycleHooks: null });
    await until(`${name}: it is gone`, look, (all) => find(all) === undefined, PATIENCE);
    await kube.delete(DEPLOYMENTS, name, 'web');
    await endOthers(place);
    return spec?.unschedulable === true ? [`Node ${node} was cordoned after an abort was acknowledged`] : [];
  },
};

const find = (machines: readonly SeenMachine[]) => machines.find(({ metadata }) => metadata.name === FIRST);

/** A Deployment whose pods come to this Node, whatever it says, and of which its budget lets none go. */
async function runWorkload({ name }: Place, nodeName: string): Promise<void> {
  const { kube } = getStack();
  const spec = {
    nodeName,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'main', image: 'none' }],
  };
  await kube.create(DEPLOYMENTS, name, {
    metadata: { name: 'web', annotations: { [DRAIN_ANNOTATION]: 'surge' } },
    spec: {
      replicas: 1,
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      selector: { matchLabels: APP },
      template: { metadata: { labels: APP }, spec },
    },
  });
  await kube.create(DISRUPTION_BUDGETS, name, {
    metadata: { name: 'web' },
    spec: { minAvailable: 1, selector: { matchLabels: APP } },
  });
  await until(
    `${name}: its budget is counted`,
    () => kube.get<Counted>(DISRUPTION_BUDGETS, name, 'web'),
    ({ status }) => status?.currentHealthy === 1,
    PATIENCE,
  );
}

/** They would wait for one another. */
async function endOthers({ name, look }: Place): Promise<void> {
  const { kube } = getStack();
  const annotations = { [OUT_OF_TURN_ANNOTATION]: writeCause('the end of the test', Date.now()) };
  for (const { metadata } of await look()) {
    await kube.mergePatch(MACHINES, name, metadata.name, { metadata: { annotations } });
    await kube.delete(MACHINES, name, metadata.name);
  }
  await until(`${name}: no machine is left`, look, (left) => left.length === 0, PATIENCE);
}
