import Table from 'cli-table3';
import colors from 'picocolors';
import type { MachineSet } from '../../k8s/model/machine-set.ts';
import type { Machine, MachineStatus } from '../../k8s/model/machine.ts';
import { instanceIdOf } from '../../k8s/model/provider-id.ts';

/** A Machine, as far as the table shows it. */
export type ShownMachine = Pick<Machine, 'ref' | 'providerID'> & {
  readonly status: Pick<MachineStatus, 'phase' | 'nodeRef'>;
};

const PHASE_COLORS: Readonly<Record<string, (text: string) => string>> = {
  Running: colors.green,
  Provisioned: colors.cyan,
  Provisioning: colors.yellow,
  Deleting: colors.dim,
  Failed: colors.red,
};

/** Phases from which a Machine does not go on by itself. */
const LASTING = new Set(['Running', 'Failed', 'Deleting']);

function phaseOf(machine: ShownMachine): string {
  return machine.status.phase ?? 'created';
}

/** The machines as a table, one line each. */
export function machineTable(machines: readonly ShownMachine[]): string {
  const table = new Table({
    head: ['NAME', 'PHASE', 'INSTANCE', 'NODE'],
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
  });
  for (const machine of machines) {
    table.push([
      machine.ref.name,
      coloredPhase(machine),
      instanceIdOf(machine.providerID) ?? '',
      machine.status.nodeRef?.name ?? '',
    ]);
  }
  return table.toString();
}

/** A line for each Machine that is new or in another phase than before. */
export function phaseChanges(before: ReadonlyMap<string, string>, machines: readonly ShownMachine[]): string[] {
  return machines
    .filter((machine) => before.get(machineKey(machine)) !== phaseOf(machine))
    .map((machine) => `machine ${machine.ref.name}: ${coloredPhase(machine)}`);
}

/** Phase by {@link machineKey}. */
export function phases(machines: readonly ShownMachine[]): Map<string, string> {
  return new Map(machines.map((machine) => [machineKey(machine), phaseOf(machine)]));
}

/** True where nothing is left to wait for: as many Machines as asked for, and none that is still on its way. */
export function areLasting(machines: readonly ShownMachine[], sets: readonly Pick<MachineSet, 'replicas'>[]): boolean {
  const wanted = sets.reduce((sum, { replicas }) => sum + replicas, 0);
  return machines.length >= wanted && machines.every((machine) => LASTING.has(phaseOf(machine)));
}

function machineKey({ ref: { namespace, name } }: ShownMachine): string {
  return `${namespace}/${name}`;
}

function coloredPhase(machine: ShownMachine): string {
  const phase = phaseOf(machine);
  return (PHASE_COLORS[phase] ?? String)(phase);
}

const NO_BORDERS = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((part) => [part, '']),
);
