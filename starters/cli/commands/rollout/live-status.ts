import { seenSetOf } from '../../../../activities/seen-set.ts';
import { describeDuration } from '../../../../k8s/model/duration.ts';
import type { MachineReading, MachineSetReading } from '../../../../k8s/model/reading.ts';
import { rolloutMachineOf } from '../../../../k8s/model/rollout-machine.ts';
import { whyRolloutWaits, type RolloutView } from '../../../../workflows/machine-deployment/describe-rollout.ts';
import { isComplete } from '../../../../workflows/machine-deployment/found-rollout.ts';
import type { RolloutSet } from '../../../../workflows/machine-deployment/rollout.ts';
import { seeRollout } from '../../../../workflows/machine-deployment/see-rollout.ts';
import { renderTable } from '../../output/table.ts';
import { estimateLeftMs } from './estimate.ts';
import type { FoundDeployment } from './rollout-parts.ts';

/** What a rollout is seen by. */
export interface LiveSight {
  readonly found: FoundDeployment;
  /** Those of the deployment. */
  readonly sets: readonly MachineSetReading[];
  /** Those of its namespace. */
  readonly machines: readonly MachineReading[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** How a rollout stands, for a terminal: old and new machines, what is waited for, and about how long it takes still. */
export function renderLive(sight: LiveSight): string {
  const view = viewOf(sight);
  const sets = view.rollout.sets
    .filter(({ isCurrent, existing, replicas }) => isCurrent || existing + replicas > 0)
    .sort((a, b) => Number(a.isCurrent) - Number(b.isCurrent) || a.revision - b.revision);
  const table = renderTable([HEAD, ...sets.map(rowOf)]);
  const waitsFor = `waits for: ${whyRolloutWaits(view, {})}`;
  if (isComplete(view)) return view.failure === undefined ? table : [table, waitsFor].join('\n');
  // A set that is paused holds the rollout up for as long as somebody wants it to.
  const left = view.pausedSet === undefined ? estimateLeftMs(view, sight.machines, sight.now) : undefined;
  const until =
    view.step?.mostNew === undefined ? '' : ` until step ${view.step.number} of ${view.step.of} has its machines`;
  return [
    table,
    waitsFor,
    ...(left === undefined ? [] : [`about ${describeDuration(left)}${until || ' left'}, at the pace so far`]),
  ].join('\n');
}

const HEAD = ['', 'MACHINESET', 'REVISION', 'WANTED', 'MACHINES', 'AVAILABLE', 'LEAVING'];

function rowOf({ isCurrent, name, revision, replicas, existing, active, available }: RolloutSet): string[] {
  return [isCurrent ? 'new' : 'old', name, ...[revision, replicas, active, available, existing - active].map(String)];
}

/** As its workflow sees it, but for what only that remembers. */
function viewOf({ found: { kind, read }, sets, machines, now }: LiveSight): RolloutView {
  const { machineDeployment, status } = read;
  const setName = kind.setNameOf(machineDeployment);
  const beside = { setName, status, now };
  return {
    ...seeRollout(machineDeployment, sets.map(seenSetOf), machines.map(rolloutMachineOf), beside),
    deleting: machineDeployment.deletedAt !== undefined,
    paused:
      machineDeployment.paused ||
      status.conditions?.some(({ type, reason }) => type === 'Paused' && reason === 'Paused') === true,
  };
}
