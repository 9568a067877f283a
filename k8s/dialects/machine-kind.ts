import { given } from '../../providers/given.ts';
import { tokenOf } from '../launch-token.ts';
import type { CloudAccess, Machine, MachineSpec, MachineStatus, SpecFields } from '../model/machine.ts';
import type { MachineReading } from '../model/reading.ts';
import { problemOfLaunch, readLaunch } from './frozen-launch.ts';
import { READ_AS_OWN, type MachineKind, type StoredObject } from './kind.ts';

/** A status as it is stored: nobody has looked yet at what was frozen of its launch, or whose it is. */
export interface StoredMachineStatus extends Omit<MachineStatus, 'launch' | 'cloud'> {
  readonly launch?: unknown;
  readonly cloud?: Omit<CloudAccess, 'credentials'> & {
    readonly credentials: Omit<CloudAccess['credentials'], 'namespace'>;
  };
}

/** What the object of a Machine says, whoever's its status is. */
export interface StoredMachine extends Omit<Machine, 'status' | 'copied'> {
  readonly status: StoredMachineStatus;
}

interface StoredReading extends Omit<MachineReading, 'machine' | 'spec'> {
  readonly machine: StoredMachine;
  readonly spec: Omit<MachineSpec, 'fields'>;
}

/** What an API says of its Machines. */
interface MachineWords extends Omit<MachineKind, 'read' | typeof READ_AS_OWN> {
  /** The field that the frozen launch is kept in, for messages: e.g. `status.launch`. */
  readonly launchField: string;
  /** Never fails: what is malformed is left out, and the model says so. */
  readonly read: (object: StoredObject) => StoredReading;
}

/**
 * The kind of an API's Machines. What keeps instances safe is looked at here, whichever API it is: a launch that is repeated is
 * whole, a status is the Machine's own, and credentials are of its namespace.
 */
export function machineKind({ launchField, ...words }: MachineWords): MachineKind {
  const { specField, classField } = words;
  const fields: SpecFields = { specField, ...given({ classField }) };
  return {
    ...words,
    [READ_AS_OWN]: true,
    read(object) {
      const stored = words.read(object);
      const reading = { ...stored, spec: { ...stored.spec, fields } };
      const { status, ...machine } = reading.machine;
      const problem = problemOfLaunch(status.launch, launchField);
      if (problem === undefined) return { ...reading, machine: { ...machine, ...ownStatusOf(object, status) } };
      const malformed = { message: machine.malformed?.message ?? problem, isStatusReadable: false };
      return {
        ...reading,
        // Whoever mends it wakes the workflow.
        wanted: [reading.wanted, status.launch],
        machine: { ...machine, status: { addresses: [], conditions: [] }, malformed },
        otherConditions: [],
      };
    },
  };
}

/**
 * The status, as far as it is this Machine's own: a launch counts only under a token of this Machine's uid. Another token
 * came with a copy of another Machine's status, and then nothing of that status tells of an instance or a Node of this one.
 */
function ownStatusOf({ metadata }: StoredObject, stored: StoredMachineStatus): Pick<Machine, 'status' | 'copied'> {
  const { namespace, uid } = metadata;
  const { launch: frozen, cloud, ...said } = stored;
  const launch = readLaunch(frozen, namespace);
  if (launch === undefined || launch.token === tokenOf(uid, launch.attempt)) {
    return {
      status: {
        ...said,
        ...given({ launch, cloud: cloud && { ...cloud, credentials: { ...cloud.credentials, namespace } } }),
      },
    };
  }
  const { phase, conditions, waiting, updatedAt, instance } = said;
  return {
    status: {
      ...given({ phase }),
      addresses: [],
      conditions,
      ...given({ waiting, updatedAt }),
    },
    copied: { token: launch.token, ...given({ instanceId: instance?.id }) },
  };
}
