import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { NODES, PODS } from '../../../k8s/resources.ts';
import { getStack } from '../../integration/stack.ts';
import { until } from '../../integration/until.ts';
import { judge } from '../judge.ts';
import { createOnly, ONLY, PATIENCE, runPods, type Life } from './life.ts';

/** A maintenance begins, and empties its Node, and is over; then the machine is deleted. */
export const MAINTAINED: Life = {
  machines: 1,
  isSlow: true,

  begin: createOnly,

  async end({ name, cloud, look }, machines) {
    const { kube } = getStack();
    const node = machines[0]?.status?.nodeRef?.name ?? '';
    const setMaintenance = async (maintenance: boolean) => {
      await kube.mergePatch(MACHINES, name, ONLY, { spec: { maintenance } });
      const isSo = (all: typeof machines) => all.every(({ status }) => status?.maintenance === maintenance);
      await until(`${name}: status.maintenance is ${maintenance}`, look, isSo, PATIENCE);
      return (await kube.get<Node>(NODES, undefined, node)).spec?.unschedulable === true;
    };
    await runPods(name, machines);

    const isKept = await setMaintenance(true);
    const { items: left } = await kube.list(PODS, { namespace: name });
    const uids = machines.map(({ metadata }) => metadata.uid);
    const meanwhile = await judge(cloud, uids, { liveEach: 1 });
    const isStillKept = await setMaintenance(false);

    await kube.delete(MACHINES, name, ONLY);
    await until(`${name}: no machine is left`, look, (all) => all.length === 0, PATIENCE);
    return [
      ...meanwhile,
      ...(isKept ? [] : [`Node ${node} was not cordoned in its maintenance`]),
      ...(left.length === 0 ? [] : [`${left.length} pods were on Node ${node} in its maintenance`]),
      ...(isStillKept ? [`Node ${node} was cordoned after its maintenance`] : []),
    ];
  },
};
