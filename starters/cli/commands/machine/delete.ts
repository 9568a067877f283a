import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '../../../../k8s/client.ts';
import type { StoredObject } from '../../../../k8s/dialects/kind.ts';
import { isConflict, isNotFound, isPassing } from '../../../../k8s/kube-error.ts';
import { PAUSED_ANNOTATION } from '../../../../k8s/model/paused-annotation.ts';
import { describeRef } from '../../../../k8s/model/object-ref.ts';
import { attempt, CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { explain } from '../../explanation/explanation.ts';
import { findObject, type Found } from '../../access/find-object.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { headlineOf } from '../../explanation/headline.ts';
import { openKube } from '../../access/kube-access.ts';
import { reportMachine } from './explain.ts';

export interface DeleteOptions extends GlobalOptions {
  /** Return when they are gone. */
  readonly wait?: boolean;
  /** How long to wait with `wait`, in seconds. */
  readonly timeout: number;
}

type FoundMachine = Found<'machine'>;

/** Between two looks at the machines that are waited for, in milliseconds. */
const LOOK_EVERY_MS = 1000;

/** `millwright machine delete NAME...`: the Machines that have these names now, or, where one name is unknown, none. */
export async function deleteMachines(names: readonly string[], options: DeleteOptions): Promise<void> {
  const access = openKube(options);
  const { kube } = access;
  const machines: FoundMachine[] = [];
  for (const name of new Set(names)) machines.push(await findObject(access, 'machine', name));
  for (const machine of machines) {
    await deleteMachine(kube, machine);
    console.log(`${describe(machine)} is being deleted: ${consequenceOf(machine)}`);
  }
  if (options.wait === true) await waitUntilGone(kube, machines, options);
}

async function deleteMachine(kube: KubeClient, machine: FoundMachine): Promise<void> {
  const { namespace, name, uid } = machine.read.machine.ref;
  await attempt(`delete ${describe(machine)}`, async () => {
    try {
      await kube.delete(machine.kind.resource, namespace, name, { uid });
    } catch (error) {
      if (isNotFound(error)) return; // It went in this moment.
      if (!isConflict(error)) throw error;
      throw new CliError(`could not delete ${describe(machine)}: another one was created under its name meanwhile`, {
        cause: error,
      });
    }
  });
}

function consequenceOf({ read: { machine, meta } }: FoundMachine): string {
  const { instance } = machine.status;
  const { controller } = meta;
  return [
    instance === undefined ? 'it has no instance that is known' : `its instance ${instance.id} is terminated`,
    ...(controller === undefined
      ? []
      : [`${controller.kind} ${controller.name} makes another unless it is scaled down`]),
    // Without our finalizer nothing was done for it yet, and nothing holds it.
    ...(machine.paused && machine.hasFinalizer
      ? [`it is paused, so nothing happens before its annotation ${PAUSED_ANNOTATION} is removed`]
      : []),
  ].join('; ');
}

/** Says what each waits for whenever that changes. */
async function waitUntilGone(
  kube: KubeClient,
  machines: readonly FoundMachine[],
  options: DeleteOptions,
): Promise<void> {
  const deadline = performance.now() + options.timeout * 1000;
  const told = new Map<string, string>();
  let left = [...machines];
  for (;;) {
    const looks = await Promise.all(left.map((machine) => lookAt(kube, machine)));
    left.forEach((machine, index) => {
      if (looks[index] === undefined) console.log(`${describe(machine)} is gone`);
    });
    left = looks.filter((machine) => machine !== undefined);
    if (left.length === 0) return;
    for (const machine of left) {
      // Without the time of the next try, which is another at each look.
      const why = headlineOf({ ...explain(machine.read.machine), nextTry: '' }, undefined, Date.now());
      const { uid } = machine.read.machine.ref;
      if (told.get(uid) !== why) console.log(`${describe(machine)}: ${why}`);
      told.set(uid, why);
    }
    if (performance.now() >= deadline) throw await lateness(left, options);
    await delay(Math.max(0, Math.min(LOOK_EVERY_MS, deadline - performance.now())));
  }
}

/** undefined: that Machine is gone. Where the API server has no answer just now, as it was seen last. */
async function lookAt(kube: KubeClient, machine: FoundMachine): Promise<FoundMachine | undefined> {
  const { kind, read } = machine;
  const { namespace, name, uid } = read.machine.ref;
  return attempt(`look whether ${describe(machine)} is gone`, async () => {
    try {
      const stored = await kube.get<StoredObject>(kind.resource, namespace, name);
      return stored.metadata.uid === uid ? { kind, stored, read: kind.read(stored) } : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (isPassing(error)) return machine;
      throw error;
    }
  });
}

async function lateness(left: readonly FoundMachine[], options: DeleteOptions): Promise<CliError> {
  const [first] = left;
  const why =
    first === undefined
      ? ''
      : headlineOf(explain(first.read.machine), await reportMachine(first.read.machine.ref, options), Date.now());
  const which = left.map(describe).join(', ');
  return new CliError(`${which} not gone after ${options.timeout} s; the deletion goes on. ${why}`, {
    exitCode: EXIT.timedOut,
  });
}

function describe({ read }: FoundMachine): string {
  return describeRef(read.machine.ref);
}
