import { instanceIdOf } from '../../../../k8s/model/provider-id.ts';
import type { MachineReading } from '../../../../k8s/model/reading.ts';
import { ageOf } from '../../output/age.ts';
import { explain } from '../../explanation/explanation.ts';
import { paint, paintPhase } from '../../output/paint.ts';
import type { RowOptions } from '../../output/table.ts';

type Column = readonly [head: string, cell: (read: MachineReading) => string];

/** Head and rows of the table of machines, ordered by namespace and name. */
export function machineRows(machines: readonly MachineReading[], options: RowOptions): string[][] {
  const columns: Column[] = [
    ...(options.withNamespace ? [['NAMESPACE', ({ machine }) => machine.ref.namespace] satisfies Column] : []),
    ['NAME', ({ machine }) => machine.ref.name],
    ['PHASE', ({ machine }) => paintPhase(machine.status.phase ?? '')],
    ['NODE', ({ machine }) => machine.status.nodeRef?.name ?? ''],
    ['INSTANCE', ({ machine }) => machine.status.instance?.id ?? instanceIdOf(machine.providerID) ?? ''],
    ['ZONE', ({ machine, placement }) => placement.zone ?? machine.status.launch?.parameters.zone ?? ''],
    ...(options.isWide
      ? ([
          ['TYPE', ({ placement }) => placement.instanceType ?? ''],
          ['PROVIDERID', ({ machine }) => machine.providerID ?? ''],
        ] satisfies Column[])
      : []),
    ['AGE', ({ meta }) => ageOf(meta.createdAt, options.now)],
    ['WAITING-FOR', (read) => waitingFor(read, options.isWide)],
  ];
  const key = ({ machine }: MachineReading) => `${machine.ref.namespace}/${machine.ref.name}`;
  const ordered = [...machines].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return [columns.map(([head]) => head), ...ordered.map((read) => columns.map(([, cell]) => cell(read)))];
}

function waitingFor(read: MachineReading, isWide: boolean): string {
  const { error, phase } = read.machine.status;
  const { step, reason, waitsFor } = explain(read);
  if (step === 'Finalizers') return isWide ? waitsFor : 'finalizers of others';
  if (phase === 'Failed') {
    return paint('red', `${error?.reason ?? 'Failed'}${isWide ? `: ${error?.message ?? ''}` : ''}`);
  }
  if (reason === undefined && step === 'Maintenance') return isWide ? waitsFor : 'the end of its maintenance';
  if (reason === undefined) return phase === undefined ? 'a worker' : '';
  return `${step}: ${isWide ? waitsFor : reason}`;
}
