import type { Machine } from '../k8s/model/machine.ts';
import type { Instance } from '../providers/provider.ts';
import { coalesce } from './coalesce.ts';
import type { ActivityDeps } from './deps.ts';
import { listMachines } from './read-machines.ts';

/** How long a question waits for others to share one list of all Machines with, in milliseconds. */
const GATHER_MS = 200;

/** Who else an instance belongs to; undefined: nobody else. */
export type FindClaimant = (machine: Machine, instance: Instance) => Promise<string | undefined>;

/** Answers from live lists, which all who ask at the same time share. */
export function createFindClaimant(deps: ActivityDeps): FindClaimant {
  const list = coalesce(async () => (await listMachines(deps)).map(({ machine }) => machine), GATHER_MS);
  return async (machine, instance) => {
    if (instance.machineUid === machine.ref.uid) return undefined;
    const owner = claimantOf(machine, instance, await list('machines'));
    return owner && `instance ${instance.id} belongs to the Machine ${owner.ref.namespace}/${owner.ref.name}`;
  };
}

/**
 * The other Machine that an instance is: the one that it is tagged with, else of those that name it the one that has it on
 * record, else the oldest. A copied Machine, or one that was restored beside its original, must not get hold of another
 * one's instance, and with its own deletion end it.
 */
export function claimantOf(machine: Machine, instance: Instance, all: readonly Machine[]): Machine | undefined {
  const others = all.filter(({ ref }) => ref.uid !== machine.ref.uid);
  const tagged = others.find(({ ref }) => ref.uid === instance.machineUid);
  if (tagged !== undefined) return tagged;
  return others
    .filter((other) => namesInstance(other, instance) && byPrecedence(other, machine) < 0)
    .sort(byPrecedence)[0];
}

/** The Machine has the instance on record, or in its providerID. */
export function namesInstance({ status, providerID }: Machine, { id }: Pick<Instance, 'id'>): boolean {
  return status.instance?.id === id || providerID?.split('/').at(-1) === id;
}

function byPrecedence(a: Machine, b: Machine): number {
  const key = ({ status, createdAt, ref }: Machine) => [status.instance === undefined ? '1' : '0', createdAt, ref.uid];
  return key(a).join(' ') < key(b).join(' ') ? -1 : 1;
}
