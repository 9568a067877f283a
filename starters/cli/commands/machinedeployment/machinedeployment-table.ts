import type { MachineDeploymentReading } from '../../../../k8s/model/reading.ts';
import { formatSelector } from '../../../../k8s/selector.ts';
import { ageOf } from '../../output/age.ts';
import { paint } from '../../output/paint.ts';
import type { RowOptions } from '../../output/table.ts';

type Column = readonly [head: string, cell: (read: MachineDeploymentReading) => string];

/** Head and rows of the table of MachineDeployments, ordered by namespace and name. */
export function machineDeploymentRows(
  deployments: readonly MachineDeploymentReading[],
  options: RowOptions,
): string[][] {
  const columns: Column[] = [
    ...(options.withNamespace
      ? [['NAMESPACE', ({ machineDeployment }) => machineDeployment.ref.namespace] satisfies Column]
      : []),
    ['NAME', ({ machineDeployment }) => machineDeployment.ref.name],
    ['READY', readyOf],
    ['UP-TO-DATE', ({ status }) => String(status.updatedReplicas ?? 0)],
    ['AVAILABLE', ({ status }) => String(status.availableReplicas ?? 0)],
    ['REVISION', ({ status }) => String(status.revision ?? '')],
    ...(options.isWide
      ? ([
          ['STRATEGY', ({ machineDeployment }) => machineDeployment.strategy.type],
          ['SELECTOR', ({ machineDeployment }) => formatSelector(machineDeployment.selector)],
        ] satisfies Column[])
      : []),
    ['AGE', ({ meta }) => ageOf(meta.createdAt, options.now)],
    ['ROLLOUT', (read) => rolloutOf(read, options.isWide)],
  ];
  const key = ({ machineDeployment: { ref } }: MachineDeploymentReading) => `${ref.namespace}/${ref.name}`;
  const ordered = [...deployments].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return [columns.map(([head]) => head), ...ordered.map((read) => columns.map(([, cell]) => cell(read)))];
}

function readyOf({ machineDeployment, status }: MachineDeploymentReading): string {
  const { replicas } = machineDeployment;
  const ready = status.readyReplicas ?? 0;
  return paint(ready === replicas ? 'green' : 'yellow', `${ready}/${replicas}`);
}

/** How it stands, by its conditions: what fails first, then how far the rollout is. */
function rolloutOf({ status: { conditions = [] } }: MachineDeploymentReading, isWide: boolean): string {
  const failure = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  if (failure !== undefined) return paint('red', isWide ? `${failure.reason}: ${failure.message}` : failure.reason);
  const paused = conditions.find(({ type, status }) => type === 'Paused' && status === 'True');
  const progress = conditions.find(({ type }) => type === 'Progressing');
  // That it stopped says more than that it is paused by that.
  const told = progress?.status === 'False' ? progress : (paused ?? progress);
  return told === undefined ? '' : isWide ? `${told.reason}: ${told.message}` : told.reason;
}
