import type { KubeClient } from '../../../../k8s/client.ts';
import type { StoredObject } from '../../../../k8s/dialects/kind.ts';
import { isConflict, isNotFound } from '../../../../k8s/kube-error.ts';
import { CLI_FIELD_MANAGER } from '../../../../k8s/model/field-managers.ts';
import type { MachineWish } from '../../../../k8s/model/machine.ts';
import { describeRef, type ObjectRef } from '../../../../k8s/model/object-ref.ts';
import { PAUSED_ANNOTATION } from '../../../../k8s/model/paused-annotation.ts';
import { systemClock, type Clock } from '../../../../providers/clock.ts';
import { findObject, type Found } from '../../access/find-object.ts';
import { openKube, type KubeAccess } from '../../access/kube-access.ts';
import { attempt, CliError } from '../../cli-error.ts';
import type { WorkflowReport } from '../../explanation/workflow-report.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { onInterrupt } from '../../interrupt.ts';
import { reportMachine } from './explain.ts';

/** Options of the commands that ask something of machines. */
export interface OperationOptions extends GlobalOptions {
  /** Return when it is reached. */
  readonly wait?: boolean;
  /** How long to wait with `wait`, in seconds. */
  readonly timeout: number;
}

export type FoundMachine = Found<'machine'>;

/** What an operation on machines sees and acts through. */
export interface OperationParts {
  readonly access: KubeAccess;
  readonly clock: Clock;
  readonly print: (line: string) => void;
  /** What Temporal says of a Machine's workflow. */
  readonly report: (ref: ObjectRef) => Promise<WorkflowReport>;
  readonly onInterrupt: typeof onInterrupt;
}

export function openOperation(options: GlobalOptions): OperationParts {
  return {
    access: openKube(options),
    clock: systemClock,
    print: console.log,
    report: (ref) => reportMachine(ref, options),
    onInterrupt,
  };
}

/** The Machines that have these names now, each once; where one name is unknown, none. */
export async function findMachines(access: KubeAccess, names: readonly string[]): Promise<FoundMachine[]> {
  const machines = new Map<string, FoundMachine>();
  for (const name of new Set(names)) {
    const machine = await findObject(access, 'machine', name);
    machines.set(machine.read.machine.ref.uid, machine);
  }
  return [...machines.values()];
}

/**
 * Writes what is asked of a Machine into its object, with the caller's own credentials. Answers the Machine as it is then;
 * undefined: it is gone.
 *
 * @param what for the error, as in `could not …`
 */
export async function ask(
  kube: KubeClient,
  machine: FoundMachine,
  wish: MachineWish,
  what: string,
): Promise<FoundMachine | undefined> {
  const { kind, read } = machine;
  const { namespace, name, uid } = read.machine.ref;
  if (kind.writeWish === undefined) {
    throw new CliError(
      `could not ${what}: a ${kind.resource.kind} of ${kind.resource.apiVersion} has no field for that`,
    );
  }
  // Another Machine of that name is not meant.
  const { metadata, ...rest } = kind.writeWish(wish);
  const patch = { metadata: { ...metadata, uid }, ...rest };
  const options = { fieldManager: CLI_FIELD_MANAGER };
  return attempt(what, async () => {
    try {
      const stored = await kube.mergePatch<StoredObject>(kind.resource, namespace, name, patch, options);
      return { kind, stored, read: kind.read(stored) };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error)) throw error;
      throw new CliError(`could not ${what}: another one was created under its name meanwhile`, { cause: error });
    }
  });
}

/** Why nothing comes of it for now, as the last part of a sentence; nothing: it comes to it. */
export function pauseOf({ read: { machine } }: FoundMachine): string[] {
  if (!machine.paused) return [];
  return [`it is paused, so nothing happens before its annotation ${PAUSED_ANNOTATION} is removed`];
}

export function describe({ read }: FoundMachine): string {
  return describeRef(read.machine.ref);
}
