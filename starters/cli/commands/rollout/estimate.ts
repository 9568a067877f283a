import type { MachineReading } from '../../../../k8s/model/reading.ts';
import { currentOf } from '../../../../workflows/machine-deployment/found-rollout.ts';
import type { RolloutView } from '../../../../workflows/machine-deployment/describe-rollout.ts';

/**
 * How long it takes in milliseconds until the new machines are there, those of the step that is under way where there is one, if it goes on
 * as it did: by how many have become Ready since the rollout began, or since the step before was passed. Undefined: that is not known, or
 * none is missing.
 *
 * @param machines those of the deployment's namespace
 * @param now milliseconds since the epoch
 */
export function estimateLeftMs(
  { rollout, hold, preflight, step, heldUp, coming }: RolloutView,
  machines: readonly MachineReading[],
  now: number,
): number | undefined {
  const current = currentOf({ rollout });
  const begun = Date.parse(step?.known?.since ?? preflight?.known?.checkedAt ?? '');
  // Nobody knows how long what holds a deletion lasts, nor when the cloud has room.
  const isHeld = hold !== undefined || heldUp !== undefined || coming.lacksCapacity !== undefined;
  if (isHeld || current === undefined || Number.isNaN(begun)) return undefined;
  const done = machines.filter(({ meta, machine }) => {
    const ready = machine.status.conditions.find(({ type, status }) => type === 'NodeReady' && status === 'True');
    return meta.controller?.uid === current.uid && Date.parse(ready?.lastTransitionTime ?? '') >= begun;
  }).length;
  const missing = Math.min(rollout.replicas, rollout.mostNew ?? Infinity) - current.available;
  return done === 0 || missing <= 0 ? undefined : (missing * (now - begun)) / done;
}
