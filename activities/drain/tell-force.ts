import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import { joinNames } from '../../k8s/model/some-names.ts';
import { endsWithin } from '../ask-on.ts';
import type { MachineDeps } from '../deps.ts';
import { shortenPodNames } from './shorten-names.ts';

/**
 * Says which pods are deleted now, beside their Machine, before they are: a worker that dies right after that tells nobody any more. It
 * holds up nothing for longer than so, in milliseconds.
 */
export async function tellForce(
  { events, clock }: Pick<MachineDeps, 'events' | 'clock'>,
  machine: ObjectRef,
  pods: readonly Pod[],
  mostMs: number,
): Promise<void> {
  if (pods.length === 0) return;
  const names = joinNames(shortenPodNames(pods));
  const [how, which] =
    pods.length === 1
      ? ['its budgets, so that it ends', `pod ${names}`]
      : ['their budgets, so that they end', `pods ${names}`];
  const message = `deletes without asking ${how} in the time of the drain: ${which}`;
  const key = pods.map(({ uid }) => uid).join();
  const event = { type: 'Warning', reason: 'PodsDeletedByForce', message } as const;
  await endsWithin(clock, events.record(machine, event, key), mostMs);
}
