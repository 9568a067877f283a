import type { ObjectTarget } from './object-target.ts';
import { reportEvent } from './short-steps.ts';

/**
 * Two may write how many machines there should be, e.g. an autoscaler and a pipeline: the last one wins, and it is told from which number.
 *
 * @param memory how many were asked for at the last look; absent: nobody has looked yet
 */
export async function tellScaled(
  target: ObjectTarget,
  memory: { replicas?: number },
  { replicas }: { readonly replicas: number },
): Promise<void> {
  const { replicas: before } = memory;
  memory.replicas = replicas;
  if (before === undefined || before === replicas) return;
  const message = `spec.replicas went from ${before} to ${replicas}`;
  await reportEvent({ ...target, event: { type: 'Normal', reason: 'ReplicasChanged', message } });
}
