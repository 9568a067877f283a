import { MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { getStack } from '../../integration/stack.ts';
import { until } from '../../integration/until.ts';
import { judge } from '../judge.ts';
import { createCheck, isAtRest, machineSetOfOne, PATIENCE, stopKubelet, type Life } from './life.ts';

/** Longer than a Node is silent that nobody stopped, on a slow computer. */
const SILENT = '10s';

/** Its kubelet hangs for good, and its health check has it replaced: its set makes one other machine. Then the set is scaled down. */
export const REPLACED: Life = {
  machines: 1,
  made: 2,
  isSlow: true,
  isKilledLate: true,

  async begin(place) {
    await getStack().kube.create(MACHINE_SETS, place.name, machineSetOfOne(place));
  },

  async end({ name, cloud, look }, [machine]) {
    const { kube } = getStack();
    const uid = machine?.metadata.uid;
    await stopKubelet(machine?.status?.nodeRef?.name ?? '');
    await createCheck(name, { timeout: SILENT });
    const after = await until(
      `${name}: another machine runs in its place`,
      look,
      (all) => all.length === 1 && all.every((one) => one.metadata.uid !== uid && isAtRest(one)),
      PATIENCE,
    );
    const uids = after.map(({ metadata }) => metadata.uid);
    const found = await judge(cloud, uids, { liveEach: 1 });
    await kube.mergePatch(MACHINE_SETS, name, 'only', { spec: { replicas: 0 } });
    await until(`${name}: no machine is left`, look, (left) => left.length === 0, PATIENCE);
    return found;
  },
};
