import { isMaintained } from '../../../../k8s/model/drain.ts';
import { isFailedForGood } from '../../../../k8s/model/failure.ts';
import { CliError } from '../../cli-error.ts';
import { follow } from './follow.ts';
import { IN_MAINTENANCE, OUT_OF_MAINTENANCE } from './goals.ts';
import {
  ask,
  describe,
  findMachines,
  openOperation,
  pauseOf,
  type FoundMachine,
  type OperationOptions,
  type OperationParts,
} from './operation.ts';
import { otherCordonOf } from './other-cordon.ts';

/** `millwright machine maintenance on NAME...`, and `drain`. */
export function beginMaintenance(names: readonly string[], options: OperationOptions): Promise<void> {
  return askForMaintenance(openOperation(options), names, options);
}

/** `millwright machine maintenance off NAME...`, and `uncordon`. */
export function endMaintenance(names: readonly string[], options: OperationOptions): Promise<void> {
  return askForItsEnd(openOperation(options), names, options);
}

/** Has the Nodes of Machines emptied; where one name is unknown, or one Machine is being deleted, of none. */
export async function askForMaintenance(
  parts: OperationParts,
  names: readonly string[],
  options: OperationOptions,
): Promise<void> {
  const asked: FoundMachine[] = [];
  for (const machine of await findLiving(parts, names, 'put', 'into maintenance')) {
    asked.push(await write(parts, machine, true, `put ${describe(machine)} into maintenance`));
    parts.print(`${describe(machine)} ${announceBegin(machine)}`);
  }
  if (options.wait === true) await follow(parts, asked, IN_MAINTENANCE, options.timeout);
}

/** Has the Nodes of Machines uncordoned; where one name is unknown, or one Machine is being deleted, of none. */
export async function askForItsEnd(
  parts: OperationParts,
  names: readonly string[],
  options: OperationOptions,
): Promise<void> {
  const machines = await findLiving(parts, names, 'take', 'out of maintenance');
  const asked: FoundMachine[] = [];
  for (const machine of machines) {
    const { maintenance, status } = machine.read.machine;
    if (maintenance !== true && !isMaintained(status)) {
      parts.print(`${describe(machine)} is not in maintenance; nothing was changed`);
      continue;
    }
    asked.push(await write(parts, machine, false, `take ${describe(machine)} out of maintenance`));
    parts.print(`${describe(machine)} ${announceEnd(machine)}`);
  }
  if (options.wait === true) await follow(parts, asked, OUT_OF_MAINTENANCE, options.timeout);
  for (const machine of machines) {
    const words = await otherCordonOf(parts.access.kube, machine.read.machine.status.nodeRef);
    if (words !== undefined) parts.print(`${describe(machine)}: ${words}`);
  }
}

/** A Machine that is deleted for good has no use for it. */
async function findLiving(
  { access }: OperationParts,
  names: readonly string[],
  verb: string,
  where: string,
): Promise<FoundMachine[]> {
  const machines = await findMachines(access, names);
  const deleted = machines.find(({ read }) => read.machine.deletedAt !== undefined);
  if (deleted === undefined) return machines;
  throw new CliError(
    `could not ${verb} ${describe(deleted)} ${where}: it is being deleted, which drains its Node; nothing was changed`,
  );
}

async function write(
  { access: { kube } }: OperationParts,
  machine: FoundMachine,
  maintenance: boolean,
  what: string,
): Promise<FoundMachine> {
  const written = await ask(kube, machine, { maintenance }, what);
  if (written === undefined) throw new CliError(`could not ${what}: it is gone`);
  return written;
}

function announceBegin(found: FoundMachine): string {
  const { maintenance, status } = found.read.machine;
  const node = status.nodeRef?.name;
  const already = maintenance === true ? ' already' : '';
  return [
    maintenance === true && status.maintenance === true
      ? 'is in maintenance already'
      : `goes into maintenance${already}`,
    node === undefined ? 'it has no Node yet' : `Node ${node} is cordoned and drained, its instance runs on`,
    ...(isFailedForGood(status) ? ['it is Failed, so nothing but a deletion acts on it'] : []),
    ...preparationOf(found),
    ...pauseOf(found),
  ].join('; ');
}

function announceEnd(found: FoundMachine): string {
  const { maintenance, delete: isToGo, status } = found.read.machine;
  const node = status.nodeRef?.name;
  return [
    `comes out of maintenance${maintenance === true ? '' : ' already'}`,
    // A deletion keeps it cordoned.
    ...(node === undefined || isToGo === true
      ? []
      : [`Node ${node} is uncordoned, unless somebody else has cordoned it`]),
    ...preparationOf(found),
    ...pauseOf(found),
  ].join('; ');
}

/** A deletion comes first, and keeps the Node cordoned. */
function preparationOf({ read: { machine } }: FoundMachine): string[] {
  if (machine.delete !== true) return [];
  const { name } = machine.ref;
  return [`it is being deleted, which comes first (\`millwright machine delete --abort ${name}\` takes that back)`];
}
