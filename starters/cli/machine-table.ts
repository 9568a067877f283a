import type { MachineObject } from '../../k8s/api/machine.ts';
import { INSTANCE_TYPE_LABEL, ZONE_LABEL } from '../../k8s/model/labels.ts';
import { ageOf } from './age.ts';
import { explain } from './explanation.ts';
import { paint, paintPhase } from './paint.ts';

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
    ['PHASE', ({ status }) => paintPhase(status?.phase ?? '')],
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

function waitingFor(machine: MachineObject, isWide: boolean): string {
  const { errorReason, errorMessage, phase } = machine.status ?? {};
  if (phase === 'Failed') {
    return paint('red', `${errorReason ?? 'Failed'}${isWide ? `: ${errorMessage ?? ''}` : ''}`);
  }
  const { step, reason, waitsFor } = explain(machine);
  if (reason === undefined) return phase === undefined ? 'a worker' : '';
  return `${step}: ${isWide ? waitsFor : reason}`;
}
