import { describe, expect, it } from '@jest/globals';
import { KubeError } from '../../k8s/kube-error.ts';
import { MACHINE_CLASS_FINALIZER } from '../../k8s/dialects/openshift/labels.ts';
import { MACHINE_CLASSES, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { aMachine } from '../world/builders/a-machine.ts';
import { MADE_AT, NAMESPACE } from '../world/builders/metadata.ts';
import { before } from '../world/kubernetes/request.ts';
import { realMachineClass } from './real-machine-class.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('a MachineClass', () => {
  it('is held while a Machine refers to it, says who does while it is being deleted, and goes after the last one', async () => {
    const { world, start } = realMachineClass(temporal, 'used');
    world.kube.put(aMachine({ name: 'user', machineClass: 'used' }));
    const handle = await start();
    await temporal.until(() => world.status.machines === 1);
    expect(world.stored?.metadata.finalizers).toEqual([MACHINE_CLASS_FINALIZER]);
    world.change((stored) => ({ ...stored, metadata: { ...stored.metadata, deletionTimestamp: MADE_AT } }));
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('InUse') !== undefined);
    expect(world.condition('InUse')?.message).toContain('1 Machine (user)');
    expect(world.events.map(({ reason }) => reason)).toEqual(['InUse']);
    world.kube.drop(MACHINES, NAMESPACE, 'user');
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.stored === undefined);
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
  });

  it('costs nothing while nothing changes', async () => {
    const { world, start } = realMachineClass(temporal, 'idle');
    const handle = await start();
    await temporal.until(() => world.status.machines === 0);
    const { historyLength } = await handle.describe();
    await temporal.pass(3600);
    expect((await handle.describe()).historyLength).toBe(historyLength);
    expect(world.writes).toHaveLength(1);
  });

  it('says by an event that it cannot be held, tells its status all the same, and is held when it can be', async () => {
    const { world, start } = realMachineClass(temporal, 'refused');
    world.kube.put(aMachine({ name: 'user', machineClass: 'refused' }));
    let refusals = 0;
    world.onRequest = before({ verb: 'apply', resource: MACHINE_CLASSES }, ({ subresource }) => {
      if (subresource !== undefined || refusals >= 8) return;
      refusals += 1;
      throw new KubeError(403, 'Forbidden', 'denied');
    });
    await start();
    await temporal.until(() => world.status.machines === 1);
    await temporal.until(() => world.stored?.metadata.finalizers !== undefined, { within: 120 });
    expect(world.events.map(({ reason }) => reason)).toEqual(['FailedHold']);
  });
});
