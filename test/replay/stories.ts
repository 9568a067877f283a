import type { WorkflowHandle } from '@temporalio/client';
import { KubeError } from '../../k8s/kube-error.ts';
import { DEFAULT_MACHINE_SETTINGS, type MachineSettings } from '../../workflows/machine/settings.ts';
import { changedSignal, inspectSignal } from '../../workflows/signals.ts';
import { INVALID_TYPE, MISMATCH, NO_CAPACITY, THROTTLED } from '../workflow/cloud-failures.ts';
import { MachineWorld, type LaunchFate } from '../workflow/machine-world.ts';
import { MACHINES } from '../../k8s/resources.ts';
import { realCluster } from '../workflow/real-cluster.ts';
import { realMachineClass } from '../workflow/real-machine-class.ts';
import { realMachineSet, type MachineSetSpec } from '../workflow/real-machine-set.ts';
import type { Temporal } from '../workflow/temporal.ts';
import { before } from '../world/kubernetes/request.ts';
import type { SetWorld } from '../world/set-world.ts';
import { aMachine } from '../world/builders/a-machine.ts';
import { MADE_AT, NAMESPACE } from '../world/builders/metadata.ts';

/** Plays one path of a workflow to its point of interest, and gives the workflow back. */
export type Story = (temporal: Temporal) => Promise<WorkflowHandle>;

/** A wait after silence that is long enough for something else to come in between. */
const SLOWLY = { backoff: { ...DEFAULT_MACHINE_SETTINGS.backoff, soon: { first: 600, most: 600 } } };
const DELETED = { deletedAt: '2026-01-02T00:00:00Z' };

/** Every path whose history is kept, by the name of its file. */
export const STORIES: Readonly<Record<string, Story>> = {
  'machine-up': async (temporal) => (await runningMachine(temporal)).handle,

  async 'machine-failed'(temporal) {
    const { world, handle } = await launchedMachine(temporal);
    await temporal.until(() => world.status.phase === 'Failed', { within: 1300, step: 10 });
    return handle;
  },

  async 'machine-instance-gone'(temporal) {
    const { world, handle } = await runningMachine(temporal);
    world.instances = [];
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.status.phase === 'Failed', { within: 400, step: 5 });
    return handle;
  },

  async 'machine-retried'(temporal) {
    const fates: LaunchFate[] = [NO_CAPACITY, THROTTLED, 'unansweredNothing', MISMATCH, INVALID_TYPE];
    const { world, handle } = await launchedMachine(temporal, fates, (w) => {
      w.hasSecret = false;
    });
    await temporal.until(() => world.status.waiting?.reason === 'SecretMissing');
    world.hasSecret = true;
    await temporal.until(() => world.status.waiting?.reason === 'InvalidConfiguration', { within: 1200, step: 10 });
    world.change({ specHash: 'spec-2', generation: 2 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Provisioned');
    return handle;
  },

  async 'machine-deleted'(temporal) {
    const { world, handle } = await runningMachine(temporal);
    world.looksUntilTerminated = 3;
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    return handle;
  },

  async 'machine-deleted-soon'(temporal) {
    const { world, handle } = await runningMachine(temporal);
    world.looksUntilTerminated = 1;
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    return handle;
  },

  async 'machine-deleted-late'(temporal) {
    const { world, handle } = await runningMachine(temporal);
    world.looksUntilTerminated = 1;
    world.terminationFailure = THROTTLED;
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    return handle;
  },

  async 'machine-deleted-unsettled'(temporal) {
    const { world, handle } = await launchedMachine(temporal, ['unansweredNothing'], () => {}, SLOWLY);
    await temporal.until(() => world.status.waiting?.reason === 'DeadlineExceeded');
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    return handle;
  },

  async 'machine-adopted'(temporal) {
    const world = new MachineWorld('story', temporal.now);
    world.change({ providerID: world.addInstance().providerID });
    world.nodeRegisters();
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.called('lookAtInstance') >= 1 && world.status.phase === 'Running');
    return handle;
  },

  'machine-set-up': async (temporal) => (await fullSet(temporal)).handle,

  async 'machine-set-scaled-down'(temporal) {
    const { world, handle } = await fullSet(temporal);
    world.change({ replicas: 1 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.living.length === 1 && world.set?.status?.observedGeneration === 2);
    return handle;
  },

  async 'machine-set-adopted'(temporal) {
    const { world, handle } = await fullSet(temporal, { replicas: 2 }, (w) => {
      w.add('orphan', { ownerReferences: [] });
      w.add('strayed', { labels: { set: 'others' } });
    });
    await temporal.until(() => world.machine('orphan')?.metadata.ownerReferences?.[0]?.uid === world.ref.uid);
    return handle;
  },

  async 'machine-set-refused'(temporal) {
    const { handle } = await fullSet(temporal, {}, (w) => {
      w.onRequest = before({ verb: 'create', nth: 1 }, () => {
        throw new KubeError(403, 'Forbidden', 'exceeded quota');
      });
    });
    return handle;
  },

  async 'machine-set-deleted'(temporal) {
    const { world, handle } = await fullSet(temporal);
    world.changeSetMeta({ deletionTimestamp: DELETED.deletedAt, finalizers: ['foregroundDeletion'] });
    await temporal.signal(handle, changedSignal);
    await temporal.pass(2);
    world.loseSet();
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    return handle;
  },

  async 'machine-class-used'(temporal) {
    const { world, start } = realMachineClass(temporal, 'story');
    const handle = await start();
    await temporal.until(() => world.condition('Ready') !== undefined);
    const user = aMachine({ machineClass: 'story' });
    world.kube.put(user);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.machines === 1);
    world.change((stored) => ({ ...stored, metadata: { ...stored.metadata, deletionTimestamp: MADE_AT } }));
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('InUse') !== undefined);
    world.kube.drop(MACHINES, NAMESPACE, user.metadata.name);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.stored === undefined);
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    return handle;
  },

  async 'cluster-counted'(temporal) {
    const { world, start } = realCluster(temporal, 'story');
    const handle = await start();
    await temporal.until(() => world.status.machines === 0);
    world.kube.put(aMachine({ cluster: 'story' }));
    // Within ten seconds of the first look, so that the second one is put off.
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.machines === 1);
    world.change((stored) => ({ ...stored, spec: { paused: true } }));
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Paused') !== undefined);
    world.lose();
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    return handle;
  },

  async 'inventory-rounds'(temporal) {
    let rounds = 0;
    const handle = await temporal.startInventory('story', {
      async takeInventory() {
        rounds += 1;
        return { machines: 2, instances: 2, woken: 0, startedAgain: 0, problems: [], intervalSeconds: 300 };
      },
    });
    await temporal.until(() => rounds === 3, { within: 620, step: 10 });
    return handle;
  },
};

async function launchedMachine(
  temporal: Temporal,
  fates: readonly LaunchFate[] = [],
  arrange: (world: MachineWorld) => void = () => {},
  settings: Partial<MachineSettings> = {},
) {
  const world = new MachineWorld('story', temporal.now, settings);
  world.fateOf = (call) => fates[call - 1] ?? 'instance';
  arrange(world);
  const handle = await temporal.startMachine(world);
  if (fates.length === 0) await temporal.until(() => world.status.phase === 'Provisioned');
  return { world, handle };
}

async function runningMachine(temporal: Temporal) {
  const { world, handle } = await launchedMachine(temporal);
  world.nodeRegisters();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.phase === 'Running' && world.called('lookAtInstance') === 1);
  await temporal.pass(1);
  return { world, handle };
}

async function fullSet(temporal: Temporal, spec: MachineSetSpec = {}, arrange: (world: SetWorld) => void = () => {}) {
  const { world, start } = realMachineSet(temporal, 'story', { replicas: 3, ...spec });
  arrange(world);
  const handle = await start();
  await temporal.until(() => world.set?.status?.replicas === world.set?.spec.replicas, { within: 60 });
  return { world, handle };
}
