import { isPrepared } from '../../../../k8s/model/drain.ts';
import { CliError } from '../../cli-error.ts';
import { follow } from './follow.ts';
import { ABORTED } from './goals.ts';
import {
  ask,
  describe,
  findMachines,
  pauseOf,
  type FoundMachine,
  type OperationOptions,
  type OperationParts,
} from './operation.ts';

/** `millwright machine delete --abort NAME...`: where it is too late for one, the others are aborted all the same. */
export async function abortDeletions(
  parts: OperationParts,
  names: readonly string[],
  options: OperationOptions,
): Promise<void> {
  const asked: FoundMachine[] = [];
  const tooLate: string[] = [];
  for (const machine of await findMachines(parts.access, names)) {
    if (!isUnderWay(machine)) {
      parts.print(`${describe(machine)}: there is no deletion to abort; nothing was changed`);
      continue;
    }
    const written = await askForAbort(parts, machine);
    if (written === undefined || written.read.machine.deletedAt !== undefined) {
      tooLate.push(refusalOf(machine, written));
      continue;
    }
    asked.push(written);
    parts.print(`${describe(machine)}: ${announce(machine)}`);
  }
  if (options.wait === true) await follow(parts, asked, ABORTED, options.timeout, tooLate);
  else if (tooLate.length > 0) throw new CliError(tooLate.join('; '));
}

/** There is something to abort, be it too late or not. */
function isUnderWay({ read: { machine } }: FoundMachine): boolean {
  const { deletedAt, delete: isToGo, status } = machine;
  return deletedAt !== undefined || isToGo === true || isPrepared(status);
}

/** Undefined: it is gone. */
async function askForAbort(
  { access: { kube } }: OperationParts,
  machine: FoundMachine,
): Promise<FoundMachine | undefined> {
  const { deletedAt, delete: isToGo } = machine.read.machine;
  if (deletedAt !== undefined || isToGo !== true) return machine;
  return ask(
    kube,
    machine,
    { delete: false, cause: null, outOfTurn: null },
    `abort the deletion of ${describe(machine)}`,
  );
}

function refusalOf(machine: FoundMachine, now: FoundMachine | undefined): string {
  const { deletedAt } = now?.read.machine ?? {};
  const why = deletedAt === undefined ? 'it is gone' : `it was deleted at ${deletedAt}, which nothing takes back`;
  return `could not abort the deletion of ${describe(machine)}: it is too late, ${why}`;
}

function announce(machine: FoundMachine): string {
  const { delete: isToGo, deletionPolicy } = machine.read.machine;
  const isFirst = isToGo === true;
  return [
    `its deletion is being aborted${isFirst ? '' : ' already'}`,
    'no more pods are asked to leave, and those that left already, if any, do not come back by that',
    // It may have been written for this deletion, or be how the machine is to go.
    ...(deletionPolicy === undefined || deletionPolicy === 'graceful'
      ? []
      : [
          `spec.deletionPolicy stays ${deletionPolicy}, also for a later deletion: set it to graceful unless that is meant`,
        ]),
    ...pauseOf(machine),
  ].join('; ');
}
