import type { MachineSetReading } from '../../../../k8s/model/reading.ts';
import { formatSelector } from '../../../../k8s/selector.ts';
import { ageOf } from '../../output/age.ts';
import { paint } from '../../output/paint.ts';
import type { RowOptions } from '../../output/table.ts';

type Column = readonly [head: string, cell: (read: MachineSetReading) => string];

/** Head and rows of the table of MachineSets, ordered by namespace and name. */
export function machineSetRows(sets: readonly MachineSetReading[], options: RowOptions): string[][] {
  const columns: Column[] = [
    ...(options.withNamespace ? [['NAMESPACE', ({ machineSet }) => machineSet.ref.namespace] satisfies Column] : []),
    ['NAME', ({ machineSet }) => machineSet.ref.name],
    ['DESIRED', ({ machineSet }) => String(machineSet.replicas)],
    ['CURRENT', ({ status }) => String(status.replicas ?? 0)],
    ['READY', readyOf],
    ['AVAILABLE', ({ status }) => String(status.availableReplicas ?? 0)],
    ...(options.isWide
      ? ([['SELECTOR', ({ machineSet }) => formatSelector(machineSet.selector)]] satisfies Column[])
      : []),
    ['AGE', ({ meta }) => ageOf(meta.createdAt, options.now)],
    ['TROUBLE', (read) => troubleOf(read, options.isWide)],
  ];
  const key = ({ machineSet }: MachineSetReading) => `${machineSet.ref.namespace}/${machineSet.ref.name}`;
  const ordered = [...sets].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return [columns.map(([head]) => head), ...ordered.map((read) => columns.map(([, cell]) => cell(read)))];
}

function readyOf({ machineSet, status }: MachineSetReading): string {
  const ready = status.readyReplicas ?? 0;
  return paint(ready === machineSet.replicas ? 'green' : 'yellow', String(ready));
}

function troubleOf({ status: { error } }: MachineSetReading, isWide: boolean): string {
  if (error === undefined) return '';
  return paint('red', isWide ? `${error.reason}: ${error.message}` : error.reason);
}
