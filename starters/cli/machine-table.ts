import Table from 'cli-table3';
import type { MachineObject } from '../../k8s/api/machine.ts';
import { INSTANCE_TYPE_LABEL, ZONE_LABEL } from '../../k8s/model/labels.ts';
import { ageOf } from './age.ts';

export interface MachineRowOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** With the type, the providerID, and the whole sentence of what is waited for. */
  readonly isWide: boolean;
  readonly withNamespace: boolean;
}

type Column = readonly [head: string, cell: (machine: MachineObject) => string];

/** Head and rows of the table of machines, ordered by namespace and name. */
export function machineRows(machines: readonly MachineObject[], options: MachineRowOptions): string[][] {
  const columns: Column[] = [
    ...(options.withNamespace ? [['NAMESPACE', ({ metadata }) => metadata.namespace] satisfies Column] : []),
    ['NAME', ({ metadata }) => metadata.name],
    ['PHASE', ({ status }) => status?.phase ?? ''],
    ['NODE', ({ status }) => status?.nodeRef?.name ?? ''],
    ['INSTANCE', ({ spec, status }) => status?.providerStatus?.instanceId ?? spec?.providerID?.split('/').at(-1) ?? ''],
    ['ZONE', ({ metadata, status }) => metadata.labels?.[ZONE_LABEL] ?? status?.providerStatus?.launch?.zone ?? ''],
    ...(options.isWide
      ? ([
          ['TYPE', ({ metadata }) => metadata.labels?.[INSTANCE_TYPE_LABEL] ?? ''],
          ['PROVIDERID', ({ spec }) => spec?.providerID ?? ''],
        ] satisfies Column[])
      : []),
    ['AGE', ({ metadata }) => ageOf(metadata.creationTimestamp, options.now)],
    ['WAITING-FOR', (machine) => waitingFor(machine, options.isWide)],
  ];
  const key = ({ metadata }: MachineObject) => `${metadata.namespace}/${metadata.name}`;
  const ordered = [...machines].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return [columns.map(([head]) => head), ...ordered.map((machine) => columns.map(([, cell]) => cell(machine)))];
}

/** Columns and no lines, as kubectl prints them. */
export function renderTable([head = [], ...rows]: readonly string[][]): string {
  const table = new Table({ head: [...head], chars: NO_LINES, style: PLAIN });
  for (const row of rows) table.push(row);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

function waitingFor({ status }: MachineObject, isWide: boolean): string {
  const { waiting, errorReason, errorMessage } = status ?? {};
  if (status?.phase === 'Failed') return `${errorReason ?? 'Failed'}${isWide ? `: ${errorMessage ?? ''}` : ''}`;
  if (waiting === undefined) return status?.phase === undefined ? 'a worker' : '';
  return `${waiting.step}: ${isWide ? waiting.message : waiting.reason}`;
}

const PLAIN = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };
const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '   ',
};
