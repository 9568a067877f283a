import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { openNamespace, type OwnNamespace } from './own-namespace.ts';
import { startScheduler } from './own-scheduler.ts';

/** A namespace of its own, with a scheduler by its name, for pods that run on the Nodes of its machines alone. */
export interface OwnRoom {
  readonly own: OwnNamespace;
  /** On those Nodes. */
  readonly labels: Readonly<Record<string, string>>;
  /** Answers when it runs. */
  runMachine(name: string): Promise<MachineObject>;
  /** Ends the scheduler, too, whatever comes of taking down what is there. */
  end(takeDown: () => Promise<void>): Promise<void>;
}

export async function openRoom(name: string): Promise<OwnRoom> {
  const labels = { 'example.com/room': name };
  const scheduler = await startScheduler(name);
  const own = await openNamespace(name);
  return {
    own,
    labels,
    async runMachine(machine) {
      await own.createMachine(machine, { spec: { metadata: { labels } } });
      return own.untilPhase(machine, 'Running');
    },
    async end(takeDown) {
      try {
        await takeDown();
      } finally {
        await scheduler.end();
      }
    },
  };
}
