import type { MachineSetObject } from '../../k8s/api/machine-set.ts';
import { formatSelector } from '../../k8s/selector.ts';
import { ageOf } from './age.ts';
import type { MachineRowOptions } from './machine-table.ts';
import { paint } from './paint.ts';

type Column = readonly [head: string, cell: (set: MachineSetObject) => string];

/** Head and rows of the table of MachineSets, ordered by namespace and name. */
export function machineSetRows(sets: readonly MachineSetObject[], options: MachineRowOptions): string[][] {
  const columns: Column[] = [
    ...(options.withNamespace ? [['NAMESPACE', ({ metadata }) => metadata.namespace] satisfies Column] : []),
    ['NAME', ({ metadata }) => metadata.name],
    ['DESIRED', ({ spec }) => String(spec?.replicas ?? '')],
    ['CURRENT', ({ status }) => String(status?.replicas ?? 0)],
    ['READY', readyOf],
    ['AVAILABLE', ({ status }) => String(status?.availableReplicas ?? 0)],
    ...(options.isWide ? ([['SELECTOR', ({ spec }) => formatSelector(spec?.selector ?? {})]] satisfies Column[]) : []),
    ['AGE', ({ metadata }) => ageOf(metadata.creationTimestamp, options.now)],
    ['TROUBLE', (set) => troubleOf(set, options.isWide)],
  ];
  const key = ({ metadata }: MachineSetObject) => `${metadata.namespace}/${metadata.name}`;
  const ordered = [...sets].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return [columns.map(([head]) => head), ...ordered.map((set) => columns.map(([, cell]) => cell(set)))];
}

function readyOf({ spec, status }: MachineSetObject): string {
  const ready = status?.readyReplicas ?? 0;
  return paint(ready === spec?.replicas ? 'green' : 'yellow', String(ready));
}

function troubleOf({ status }: MachineSetObject, isWide: boolean): string {
  const { errorReason, errorMessage } = status ?? {};
  if (errorReason === undefined) return '';
  return paint('red', isWide ? `${errorReason}: ${errorMessage ?? ''}` : errorReason);
}
