import { writeCause } from '../../../../k8s/model/cause.ts';
import type { DeletionPolicy, Machine, MachineWish } from '../../../../k8s/model/machine.ts';
import { given } from '../../../../providers/given.ts';
import { hasEnded, isGone } from '../../../../workflows/machine/instance-facts.ts';
import { nameMyself } from '../../access/who-am-i.ts';
import { follow } from './follow.ts';
import { GONE } from './goals.ts';
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
import { abortDeletions } from './abort.ts';

export interface DeleteOptions extends OperationOptions {
  readonly policy?: DeletionPolicy;
  /** Of a control plane: out of turn. */
  readonly force?: boolean;
  /** Take a deletion back. */
  readonly abort?: boolean;
}

/** `millwright machine delete NAME...`, with `--abort` or without. */
export async function deleteMachines(names: readonly string[], options: DeleteOptions): Promise<void> {
  const parts = openOperation(options);
  await (options.abort === true ? abortDeletions : askForDeletions)(parts, names, options);
}

/** Has the Machines that have these names now deleted; where one name is unknown, none. */
export async function askForDeletions(
  parts: OperationParts,
  names: readonly string[],
  options: DeleteOptions,
): Promise<void> {
  const asked: FoundMachine[] = [];
  for (const machine of await findMachines(parts.access, names)) {
    asked.push(await askForDeletion(parts, machine, options));
    parts.print(`${describe(machine)} ${announce(machine, options)}: ${consequenceOf(machine, options)}`);
  }
  if (options.wait === true) await follow(parts, asked, GONE, options.timeout);
}

async function askForDeletion(
  { access: { kube }, clock }: OperationParts,
  machine: FoundMachine,
  { policy: deletionPolicy, force }: DeleteOptions,
): Promise<FoundMachine> {
  const isDeleted = machine.read.machine.deletedAt !== undefined;
  if (isDeleted && deletionPolicy === undefined && force !== true) return machine;
  const { delete: isToGo, outOfTurn: left } = machine.read.machine;
  const who = await nameMyself(kube);
  const now = clock.timeOfDay();
  // What an earlier deletion was given counts for no other.
  const isLeft = !isDeleted && isToGo !== true && left !== undefined;
  const outOfTurn = force === true ? writeCause(`${who} ran millwright machine delete --force`, now) : undefined;
  const wish: MachineWish = {
    ...(isDeleted ? {} : { delete: true, cause: writeCause(`${who} ran millwright machine delete`, now) }),
    ...given({ deletionPolicy, outOfTurn: outOfTurn ?? (isLeft ? null : undefined) }),
  };
  const written = await ask(kube, machine, wish, `delete ${describe(machine)}`);
  return written ?? machine; // It went in this moment, or it did not.
}

function announce({ read: { machine } }: FoundMachine, { policy, force }: DeleteOptions): string {
  const already = machine.deletedAt !== undefined || machine.delete === true ? ' already' : '';
  const how = policy === undefined ? '' : `, with policy ${policy}`;
  const turn = force === true && isOfControlPlane(machine) ? ', without waiting for its turn in the control plane' : '';
  return `is being deleted${already}${how}${turn}`;
}

/** As far as anybody knows: the role of a Node is recorded when it joins. */
function isOfControlPlane({ isControlPlane, status }: Machine): boolean {
  return isControlPlane === true || status.isControlPlane === true;
}

function fateOfInstance({ status }: Machine): string {
  const { instance } = status;
  if (instance === undefined) return 'it has no instance that is known';
  const fate = isGone(instance.state) ? 'is being terminated already' : 'will be terminated';
  return `its instance ${instance.id} ${hasEnded(status) ? 'has ended already' : fate}`;
}

function consequenceOf(found: FoundMachine, { force }: DeleteOptions): string {
  const { machine, meta } = found.read;
  const { controller } = meta;
  return [
    fateOfInstance(machine),
    ...(controller === undefined || machine.deletedAt !== undefined
      ? []
      : [`${controller.kind} ${controller.name} makes another unless it is scaled down`]),
    ...(force === true && !isOfControlPlane(machine)
      ? ['--force changes nothing for it, as it is not known to be of a control plane']
      : []),
    ...pauseOf(found),
  ].join('; ');
}
