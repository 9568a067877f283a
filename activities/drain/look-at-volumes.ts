import { isPassing, KubeError } from '../../k8s/kube-error.ts';
import type { DrainActivities } from '../../workflows/machine/drain-activities.ts';
import type { MachineDeps } from '../deps.ts';
import { ACT_MS, active } from '../machine-reader.ts';
import { choosePods, stayingOf } from './choose-pods.ts';
import { RECORDS_MS, type DrainLooks } from './drain-looks.ts';
import type { NodeLooks } from './node-looks.ts';
import { shortenNames } from './shorten-names.ts';
import { given } from '../../providers/given.ts';

/** Looks which volumes the Node of a Machine still has, with what drains of the worker share. */
export function createLookAtVolumes(
  { reader }: Pick<MachineDeps, 'reader'>,
  { ownNodes, podsNow, attachedVolumes }: NodeLooks & Pick<DrainLooks, 'podsNow'>,
): DrainActivities['lookAtVolumes'] {
  return async (target) => {
    try {
      const { node } = await ownNodes.look(active(await reader.seen(target, ACT_MS)).machine, target, RECORDS_MS);
      if (node === undefined) return { outcome: 'seen', volumes: shortenNames([]) };
      const { pods, daemonSets } = await podsNow(node);
      // The drain is over: what tolerates the cordon and is there has come after it.
      const staying = target.sparesLeft === true ? pods : stayingOf(choosePods(pods, daemonSets, { cordonedAt: 0 }));
      return { outcome: 'seen', volumes: shortenNames(await attachedVolumes(node, staying)) };
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      const { message } = error;
      return { outcome: 'failed', message, ...given({ isRefused: !isPassing(error) || undefined }) };
    }
  };
}
