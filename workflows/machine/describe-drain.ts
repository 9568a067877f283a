import { joinNames, type SomeNames } from '../../k8s/model/some-names.ts';
import type { DrainReport } from './drain-activities.ts';

const UNPROVED = 'the drain goes on: the cloud does not say that its instance is stopped';
const WHATEVER =
  'the drain goes on, whatever the cloud says of its instance: only a deletion that cannot be taken back goes by that';

/** The kubelet of a Node that is drained is not heard of. */
export interface Silence {
  /** RFC 3339. */
  readonly since: string;
  /** It is drained for a deletion that cannot be taken back. */
  readonly isForGood: boolean;
}

/**
 * How a drain stands: for how many pods, what holds it up, and which it waits for.
 *
 * @param silence absent: the kubelet of the Node is heard of
 */
export function describeDrain(report: DrainReport, silence?: Silence) {
  const { node, counts, leaving: going, trouble, askedSoon, awaited } = report;
  const { leaving, waiting, held } = counts;
  const parts = [
    [leaving, `on their way out${going === undefined ? '' : ` (${joinNames(going)})`}`],
    [held, 'not allowed to leave yet'],
    [waiting, 'that wait for others or for their own end'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  const pods =
    told.length === 0
      ? `Node ${node}: its last pods are gone, which is looked at once more`
      : `Node ${node}: pods are left, ${told.join(', ')}`;
  const message = [
    pods,
    ...(trouble === undefined ? [] : [trouble.message]),
    ...(askedSoon === undefined ? [] : [`the eviction of ${namePods(askedSoon)} is asked for again in a moment`]),
    ...(awaited === undefined ? [] : [`waits for the end of ${namePods(awaited)}`]),
    ...(silence === undefined || told.length === 0
      ? []
      : [
          `Ready of its Node is Unknown since ${silence.since}, as its kubelet is not heard of, and ${silence.isForGood ? UNPROVED : WHATEVER}`,
        ]),
  ].join('; ');
  return { reason: trouble?.reason ?? ('Draining' as const), message };
}

export function namePods(pods: SomeNames): string {
  if (pods.count === 0) return 'no pods';
  return `${pods.count === 1 ? 'pod' : 'pods'} ${joinNames(pods)}`;
}
