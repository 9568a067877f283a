import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import type { SignalDefinition } from '@temporalio/common';
import { refOf, type StoredObject } from '../../k8s/dialects/kind.ts';
import { MACHINES, MACHINE_SETS } from '../../k8s/dialects/openshift/resources.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { workflowIdOf } from '../../workflows/ids.ts';
import { changedSignal, inspectSignal } from '../../workflows/signals.ts';
import { getStack } from '../integration/stack.ts';

/** Between two rounds, in milliseconds. */
const GAP_MS = 500;

const LOOKS = [
  [MACHINE_SETS, changedSignal],
  [MACHINES, inspectSignal],
] as const;

/** Signals every Machine, its instance too, and every MachineSet of a namespace to be looked at again, until it is enough. */
export function startPokes(namespace: string, isEnough: () => boolean): { stop(): Promise<void> } {
  let stopped = false;
  const running = poke(namespace, () => stopped || isEnough());
  return {
    async stop() {
      stopped = true;
      await running;
    },
  };
}

async function poke(namespace: string, isEnough: () => boolean): Promise<void> {
  const { kube } = getStack();
  const signals = await connectSignals();
  while (!isEnough()) {
    for (const [resource, look] of LOOKS) {
      const { items } = await kube.list<StoredObject>(resource, { namespace });
      for (const item of items) await signals.wake(refOf(item), look);
    }
    await delay(GAP_MS);
  }
  await signals.close();
}

/** The way to the workflows of objects. */
export interface Signals {
  /** Has an object looked at again, unless its workflow has not started yet, or has ended. As after a change, where no other look is named. */
  wake(ref: ObjectRef, look?: SignalDefinition): Promise<void>;
  close(): Promise<void>;
}

/** To the Temporal of the shared stack; to be closed. */
export async function connectSignals(): Promise<Signals> {
  const { temporal } = getStack();
  const connection = await Connection.connect({ address: temporal.address });
  const client = new Client({ connection, namespace: temporal.namespace });
  return {
    wake: (ref, look = changedSignal) =>
      client.workflow
        .getHandle(workflowIdOf(ref))
        .signal(look)
        .catch((error: unknown) => (error instanceof WorkflowNotFoundError ? undefined : Promise.reject(error))),
    close: () => connection.close(),
  };
}
