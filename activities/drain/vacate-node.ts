import { isReady, OUT_OF_SERVICE, OUT_OF_SERVICE_ANNOTATION } from '../../k8s/model/node.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import { hasTaint, tolerates } from '../../k8s/model/taint.ts';
import { given } from '../../providers/given.ts';
import type { DrainActivities } from '../../workflows/machine/drain-activities.ts';
import type { MachineDeps } from '../deps.ts';
import { objectChanged, unlessPassing } from '../failures.ts';
import { ACT_MS, active } from '../machine-reader.ts';
import { unlessUnseen } from './attached-volumes.ts';
import type { NodeLooks } from './node-looks.ts';
import { podsOn } from './pods-on.ts';
import { shortenPodNames } from './shorten-names.ts';
import { RECORDS_MS } from './drain-looks.ts';
import { putTaint, takeOffTaint, type OwnTaint } from './taint-node.ts';

export const OUT_OF_SERVICE_TAINT: OwnTaint = { taint: OUT_OF_SERVICE, annotation: OUT_OF_SERVICE_ANNOTATION };

type Port = Pick<DrainActivities, 'vacateNode' | 'returnNode'>;

/** Has Kubernetes take away what is left on a Node on which nothing runs any more. Safe to repeat. */
export function createVacateNode(deps: MachineDeps, { ownNodes, attachedVolumes }: NodeLooks): Port {
  const { kube, reader } = deps;

  return {
    vacateNode: (target) =>
      unlessPassing(async () => {
        const { machine } = active(await reader.seen(target, ACT_MS));
        if (machine.deletedAt === undefined) throw objectChanged('the Machine is not being deleted');
        const { node: found } = await ownNodes.look(machine, target, RECORDS_MS);
        if (found === undefined) return { outcome: 'noNode' as const };
        const { kind, namespace, name } = machine.ref;
        // Whatever the cloud says: a Node that is Ready is not told of as dead.
        const node = isReady(found)
          ? found
          : await putTaint(kube, found, OUT_OF_SERVICE_TAINT, `${kind} ${namespace}/${name}`);
        const pods = await podsOn(kube, node);
        const staying = pods.filter(isLeft);
        const volumes = await unlessUnseen(attachedVolumes(node, staying));
        return {
          outcome: 'vacating' as const,
          isTold: hasTaint(node.spec?.taints, OUT_OF_SERVICE),
          pods: shortenPodNames(pods.filter((pod) => !isLeft(pod))),
          ...given({ volumes }),
        };
      }),

    returnNode: (target) =>
      unlessPassing(async () => {
        const node = await ownNodes.find(active(await reader.live(target)).machine, target);
        if (node !== undefined) await takeOffTaint(kube, node, OUT_OF_SERVICE_TAINT);
        return { outcome: 'done' as const };
      }),
  };
}

/** Kubernetes leaves it where it is. */
function isLeft({ isMirror, tolerations }: Pod): boolean {
  return isMirror || tolerates(tolerations, OUT_OF_SERVICE);
}
